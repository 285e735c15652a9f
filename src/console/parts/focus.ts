import { isStacked } from '../state/screen.js';

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
