import { isStacked } from '../state/screen.js';

/** Moves the focus to the title of the open dialog, for a pressed button that disappears. */
export function focusDialogTitle(): void {
  document.querySelector<HTMLElement>('dialog[open] .dialog-head h2')?.focus();
}

/** Moves the focus to the title of the open dialog or, without a dialog, of the view. */
export function focusTitle(): void {
  if (document.querySelector('dialog[open]') === null) document.querySelector<HTMLElement>('main h1')?.focus();
  else focusDialogTitle();
}

/** On a narrow page, scrolls to the panel of a chosen item, which is below the list, and moves the focus to its heading. */
export function showPanelBelow(selector: string): void {
  if (!isStacked.value) return;
  // The page draws the panel first.
  requestAnimationFrame(() => {
    const panel = document.querySelector<HTMLElement>(selector);
    panel?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: true });
    panel?.scrollIntoView({ block: 'start' });
  });
}
