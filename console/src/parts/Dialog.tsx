import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef } from 'preact/hooks';
import { focusHeading } from './focus.js';
import { Icon } from './Icon.js';
import { Notices } from './Notices.js';
import { StoppedProblem } from './Problem.js';

interface Props {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  readonly wide?: boolean;
  /** Buttons below the body that stay in sight while it scrolls. The one with `mainKeys` is pressed by these keys. */
  readonly foot?: ComponentChildren;
}

/** The keys of the main button of a dialog, as for a form. */
export const mainKeys = 'Control+Enter';

/** Presses the main button of a dialog. A form in the dialog has the same keys, and comes first. */
function pressMain(event: KeyboardEvent & { readonly currentTarget: HTMLDialogElement }): void {
  const { key, ctrlKey, metaKey, repeat, target, currentTarget } = event;
  if (key !== 'Enter' || !(ctrlKey || metaKey) || repeat) return;
  if (target instanceof Element && target.closest('form') !== null) return;
  const main = currentTarget.querySelector<HTMLButtonElement>(`button[aria-keyshortcuts="${mainKeys}"]`);
  if (main === null) return;
  event.preventDefault();
  main.click();
}

/** Whether a field in the open dialog was changed. */
export function isDialogTyped(): boolean {
  const dialog = document.querySelector<HTMLDialogElement>('dialog[open]');
  return dialog !== null && isTyped(dialog);
}

/** Whether a field in the dialog was changed: a click outside the dialog must not discard that. */
function isTyped(dialog: HTMLDialogElement): boolean {
  return [...dialog.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')].some((field) =>
    field instanceof HTMLInputElement && (field.type === 'checkbox' || field.type === 'radio')
      ? field.type === 'checkbox' && field.checked !== field.defaultChecked
      : field.value !== field.defaultValue,
  );
}

/** A modal dialog. The browser keeps the focus in it, closes it on Escape, and returns the focus. */
export function Dialog({ title, onClose, children, wide = false, foot }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // The dialog opens before the paint, so that the next key reaches its first field.
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => {
      element?.close();
      // After a reload, no element had the focus before the dialog.
      setTimeout(focusHeading, 0, () => document.activeElement === document.body);
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class={wide ? 'dialog dialog-wide' : 'dialog'}
      aria-labelledby={heading}
      onCancel={({ target, currentTarget }) => {
        // Escape. The close event comes later, and a key before it would do nothing. File fields cancel too.
        if (target === currentTarget) onClose();
      }}
      onClose={({ currentTarget }) => {
        // A replaced dialog gets its close event late: the new dialog must stay open.
        if (currentTarget.isConnected) onClose();
      }}
      onKeyDown={pressMain}
      onClick={({ target, currentTarget }) => {
        // The contents cover the whole dialog, so only the backdrop remains.
        if (target === currentTarget && !isTyped(currentTarget)) onClose();
      }}
    >
      <header class="dialog-head">
        <h2 id={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" class="button button-quiet button-icon" aria-label="Close" onClick={onClose}>
          <Icon name="cross" />
        </button>
      </header>
      {/* Inside the dialog: notices outside a modal dialog are covered, and screen readers skip them. */}
      <Notices />
      <StoppedProblem />
      <div class="dialog-body">{children}</div>
      {foot !== undefined && <footer class="dialog-foot">{foot}</footer>}
    </dialog>
  );
}
