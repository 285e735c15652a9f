/**
 * Keeps the focus in the page. A filter, a removal or a live change may take the focused element away. The browser then
 * moves the focus to the body, so the keyboard starts at the top of the page. Instead, the focus moves to the list that
 * contained the element. Without it: to the title of its section, the first filter of the view, or the heading.
 */

import { focusRowOrPanel } from './focus.js';

/** A focused element with its ancestors: a removed element has none. */
interface Focused {
  readonly element: HTMLElement;
  readonly ancestors: readonly HTMLElement[];
  /** The index in its list, by the list. */
  readonly places: ReadonlyMap<HTMLElement, number>;
}

const lists = 'ul, [role="group"]';
const stops = 'a[href], button, input, select, textarea, summary, [tabindex]';

function remember(element: HTMLElement): Focused {
  const ancestors: HTMLElement[] = [];
  const places = new Map<HTMLElement, number>();
  for (let child = element, parent = element.parentElement; parent !== null; parent = parent.parentElement) {
    ancestors.push(parent);
    if (parent.matches(lists)) places.set(parent, [...parent.children].indexOf(child));
    child = parent;
  }
  return { element, ancestors, places };
}

const tabStopIn = (part: Element | undefined): HTMLElement | undefined =>
  [...(part?.querySelectorAll<HTMLElement>(stops) ?? [])].find((stop) => stop.tabIndex >= 0 && stop.checkVisibility());

/** Returns the Tab stop of a list of rows; in another list, the entry at the place of the removed one. */
function stopIn(list: HTMLElement, place: number): HTMLElement | undefined {
  const row = list.querySelector<HTMLElement>('[data-row][tabindex="0"]');
  const entry = tabStopIn(list.children[Math.min(place, list.children.length - 1)]);
  return row ?? entry ?? tabStopIn(list) ?? (list.tabIndex >= 0 ? list : undefined);
}

const titleOf = (scope: ParentNode) => scope.querySelector<HTMLElement>(':is(.dialog-head h2, h1)[tabindex]');

/** Moves the focus to the first filter of the view or, without filters, to the title of the dialog or the view. */
export function focusStart(): void {
  const scope = document.querySelector('dialog[open]') ?? document.querySelector('main');
  if (scope === null) return;
  const filter = scope.querySelector<HTMLElement>('[role="search"] :is(input, select)');
  const first = [filter, titleOf(scope)].find((element) => element?.checkVisibility() === true);
  // On a phone, a chosen item takes the place of its view.
  if (!first) focusRowOrPanel();
  else first.focus();
}

function focusInstead({ ancestors, places }: Focused): void {
  for (const list of ancestors) {
    const stop = list.isConnected && places.has(list) ? stopIn(list, places.get(list) ?? 0) : undefined;
    if (stop === undefined) continue;
    // A long list draws its Tab stop in sight. Scrolling to it would disturb a user who scrolls.
    stop.focus({ preventScroll: stop.dataset['row'] !== undefined });
    if (document.activeElement === stop) return;
  }
  // The last entry of a list is gone, and the list with it. The user continues in the same section, at its title: the
  // next key would change a field.
  const section = ancestors.find((ancestor) => ancestor.isConnected && ancestor.matches('section'));
  const stop = section?.querySelector<HTMLElement>('h2[tabindex]') ?? tabStopIn(section);
  if (stop === undefined) focusStart();
  else stop.focus();
}

/** Starts to keep the focus in the page. Returns a function that stops it. */
export function keepFocus(): () => void {
  let [inPage, inDialog]: (Focused | undefined)[] = [];
  const entered = ({ target }: FocusEvent) => {
    if (!(target instanceof HTMLElement)) return;
    if (target.closest('dialog') === null) inPage = remember(target);
    else inDialog = remember(target);
  };
  const left = ({ target, relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null || !(target instanceof HTMLElement)) return;
    // A click beside all elements takes the focus away too, but leaves the element in the page.
    setTimeout(() => {
      if (document.activeElement !== document.body) return;
      // On a phone, Back shows the list instead of its chosen item.
      if (target.isConnected && !target.checkVisibility() && focusRowOrPanel()) return;
      if (inPage?.element.isConnected === true) inPage = undefined;
      if (inDialog?.element.isConnected === true) inDialog = undefined;
    });
  };
  const observer = new MutationObserver(() => {
    if (document.activeElement !== document.body && document.activeElement !== null) return;
    const lost = document.querySelector('dialog[open]') === null ? inPage : inDialog;
    if (lost?.element.isConnected === false) focusInstead(lost);
  });
  document.addEventListener('focusin', entered);
  document.addEventListener('focusout', left);
  observer.observe(document.body, { childList: true, subtree: true });
  return () => {
    document.removeEventListener('focusin', entered);
    document.removeEventListener('focusout', left);
    observer.disconnect();
  };
}
