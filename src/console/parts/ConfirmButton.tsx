import { useEffect, useState, type StateUpdater } from 'preact/hooks';
import { BusyButton } from './Busy.js';
import { Icon } from './Icon.js';

interface Props {
  readonly label: string;
  /** The label after the first press. */
  readonly confirm: string;
  readonly onPress: () => Promise<unknown>;
}

/** After this time, a press counts as the first one again. */
const armedMs = 5_000;

/** A button for an irreversible action: it acts on the second press. */
export function ConfirmButton({ label, confirm, onPress }: Props) {
  const [isArmed, setArmed] = useState(false);
  useEffect(() => disarmLater(isArmed, setArmed), [isArmed]);
  return (
    <BusyButton
      class={isArmed ? 'button button-danger' : 'button'}
      onPress={async () => {
        setArmed(!isArmed);
        if (isArmed) await onPress();
      }}
    >
      <Icon name="bin" />
      <span aria-live="polite">{isArmed ? confirm : label}</span>
    </BusyButton>
  );
}

function disarmLater(isArmed: boolean, setArmed: (value: StateUpdater<boolean>) => void): (() => void) | undefined {
  if (!isArmed) return undefined;
  const timer = setTimeout(() => {
    setArmed(false);
  }, armedMs);
  return () => {
    clearTimeout(timer);
  };
}
