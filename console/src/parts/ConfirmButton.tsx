import { signal } from '@preact/signals';
import type { ComponentChildren, HTMLAttributes } from 'preact';
import { useEffect, useId } from 'preact/hooks';
import { BusyButton } from './Busy.js';
import { Icon, type IconName } from './Icon.js';

/** After this time, a press counts as the first one again. */
export const armedMs = 5_000;

/** The button that acts on the next press. Only one does at a time. */
const armed = signal<string | undefined>(undefined);

/** A press that acts only if it is the second one. Escape, another focus and `cancel` cancel the first one. */
export interface SecondPress {
  readonly isArmed: boolean;
  /** Counts a press. Returns whether it is the second one. */
  readonly press: () => boolean;
  /** Cancels the first press. */
  readonly cancel: () => void;
  /** The properties of the element around the button. */
  readonly guard: Pick<HTMLAttributes<HTMLSpanElement>, 'class' | 'onFocusOut' | 'onKeyDown'>;
}

export function useSecondPress(): SecondPress {
  const id = useId();
  const isArmed = armed.value === id;
  const disarm = () => {
    if (armed.peek() === id) armed.value = undefined;
  };
  useEffect(() => {
    if (!isArmed) return undefined;
    const timer = setTimeout(disarm, armedMs);
    return () => {
      clearTimeout(timer);
    };
  }, [isArmed, id]);
  // Not in the effect above: it ends later than a quick next press.
  useEffect(() => disarm, [id]);
  return {
    isArmed,
    press: () => {
      armed.value = isArmed ? undefined : id;
      return isArmed;
    },
    cancel: disarm,
    guard: {
      class: 'confirm',
      onFocusOut: disarm,
      onKeyDown: (event) => {
        if (event.key !== 'Escape' || !isArmed) return;
        // It would also close the dialog.
        event.preventDefault();
        disarm();
      },
    },
  };
}

interface LabelProps {
  readonly label: ComponentChildren;
  readonly confirm: string;
  readonly isArmed: boolean;
}

/** The label of the button. It has room for both texts, so that the second press is at the same place. */
export function SecondPressLabel({ label, confirm, isArmed }: LabelProps) {
  return (
    <span class="confirm-words">
      <span aria-live="polite">{isArmed ? confirm : label}</span>
      <span class="confirm-room">{isArmed ? label : confirm}</span>
    </span>
  );
}

interface Props {
  readonly label: string;
  /** The label after the first press. */
  readonly confirm: string;
  /** The button's name for screen readers, if the label is too short to be unique. */
  readonly name?: string;
  readonly small?: boolean;
  readonly icon?: IconName;
  readonly onPress: () => Promise<unknown>;
}

/** A button for an irreversible action: it acts on the second press. */
export function ConfirmButton({ label, confirm, name, small = false, icon = 'bin', onPress }: Props) {
  const { isArmed, press, guard } = useSecondPress();
  return (
    <span {...guard}>
      <BusyButton
        class={`button ${small ? 'button-small' : ''} ${isArmed ? 'button-danger' : ''}`}
        {...(name === undefined ? {} : { label: isArmed ? `${confirm}: ${name}` : name })}
        onPress={async () => {
          if (press()) await onPress();
        }}
      >
        <SecondPressLabel
          label={
            <>
              <Icon name={icon} /> {label}
            </>
          }
          confirm={confirm}
          isArmed={isArmed}
        />
      </BusyButton>
    </span>
  );
}
