import type { AddressValue } from '../state/route.js';
import { isStacked } from '../state/screen.js';

/** On a narrow page, shows the panel of a chosen item, which is below the list or instead of it. */
export function showPanelBelow(selector: string): void {
  if (isStacked.value) showPanel(selector);
}

/** Scrolls to a panel, and moves the focus to its heading. */
export function showPanel(selector: string): void {
  // The page draws the panel first.
  requestAnimationFrame(() => {
    const panel = document.querySelector<HTMLElement>(selector);
    panel?.querySelector<HTMLElement>('h2')?.focus({ preventScroll: isStacked.value });
    if (isStacked.value) panel?.scrollIntoView({ block: 'start' });
  });
}

/** Moves the focus to the first field of a form or, on a narrow page, to its heading: a field would open the keyboard. */
export function showForm(selector: string): void {
  if (isStacked.value) showPanel(selector);
  else
    // The page draws the form first.
    requestAnimationFrame(() => {
      document.querySelector<HTMLElement>(`${selector} :is(input, select, textarea)`)?.focus();
    });
}

/** Returns the class of a list and its chosen item: a narrow page shows the list until a user chooses an item. */
export function eitherClass(wanted: string, chosen: string | undefined): string {
  return wanted !== '' && wanted === chosen ? 'split-either split-chosen' : 'split-either';
}

/**
 * Moves the focus to the chosen row of the list or, if the chosen item takes the place of the list, to its heading.
 * Returns whether there is one.
 */
export function focusRowOrPanel(): boolean {
  const shown = [...document.querySelectorAll<HTMLElement>('main [data-row][tabindex="0"], .split-chosen h2')].find(
    (element) => element.checkVisibility(),
  );
  shown?.focus();
  return shown !== undefined;
}

/**
 * Moves the focus to the heading of the view or, if the chosen item takes its place, to the heading of the item.
 * @param isWanted whether the focus still needs to move: a quick key may have moved it meanwhile
 */
export function focusHeading(isWanted: () => boolean = () => true): void {
  // The page draws the view first.
  requestAnimationFrame(() => {
    if (!isWanted()) return;
    [...document.querySelectorAll<HTMLElement>('main h1, .split-chosen h2')]
      .find((heading) => heading.checkVisibility())
      ?.focus();
  });
}

/** Shows the list again instead of its chosen item or a form, and moves the focus to the row that had it. */
export function backToList(choice: AddressValue): void {
  choice.value = '';
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>('main [data-row][tabindex="0"]')?.focus();
  });
}
