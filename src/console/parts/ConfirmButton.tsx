import { signal } from '@preact/signals';
import { useEffect, useId } from 'preact/hooks';
import { BusyButton } from './Busy.js';
import { Icon } from './Icon.js';

interface Props {
  readonly label: string;
  /** The label after the first press. */
  readonly confirm: string;
  readonly onPress: () => Promise<unknown>;
}

/** After this time, a press counts as the first one again. */
export const armedMs = 5_000;

/** The button that acts on the next press. Only one does at a time. */
const armed = signal<string | undefined>(undefined);

function disarm(id: string): void {
  if (armed.value === id) armed.value = undefined;
}

/** A button for an irreversible action: it acts on the second press. Escape and another focus cancel the first one. */
export function ConfirmButton({ label, confirm, onPress }: Props) {
  const id = useId();
  const isArmed = armed.value === id;
  useEffect(() => {
    if (!isArmed) return undefined;
    const timer = setTimeout(disarm, armedMs, id);
    return () => {
      clearTimeout(timer);
      disarm(id);
    };
  }, [isArmed, id]);
  return (
    <span
      class="confirm"
      onFocusOut={() => {
        disarm(id);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !isArmed) return;
        // It would also close the dialog.
        event.preventDefault();
        disarm(id);
      }}
    >
      <BusyButton
        class={isArmed ? 'button button-danger' : 'button'}
        onPress={async () => {
          armed.value = isArmed ? undefined : id;
          if (isArmed) await onPress();
        }}
      >
        <Icon name="bin" />
        <span aria-live="polite">{isArmed ? confirm : label}</span>
      </BusyButton>
    </span>
  );
}
