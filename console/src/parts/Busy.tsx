import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { notifyError } from '../state/notify-error.js';

interface Props {
  readonly onPress: () => Promise<unknown>;
  readonly class?: string;
  readonly disabled?: boolean;
  readonly label?: string;
  readonly title?: string | undefined;
  /** The keys that press the button, in the form of `aria-keyshortcuts`. */
  readonly keys?: string;
  readonly children: ComponentChildren;
}

/** A button for an asynchronous action. It ignores presses until the action ends, and shows errors. */
export function BusyButton({
  onPress,
  class: className = 'button',
  disabled = false,
  label,
  title,
  keys,
  children,
}: Props) {
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    try {
      await onPress();
    } catch (error) {
      await notifyError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <button
      type="button"
      class={className}
      // Not `disabled`, which would lose the focus.
      aria-disabled={busy || disabled}
      aria-label={label}
      aria-keyshortcuts={keys}
      title={title}
      onClick={() => {
        if (!busy && !disabled) void press();
      }}
    >
      {children}
    </button>
  );
}
