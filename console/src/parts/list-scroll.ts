/**
 * Scrolls a long list. On a wide page, the list is the scroll container. On a narrow one, the page is, because an area
 * that scrolls inside of another one is hard to use with a finger. The style sheet decides.
 */

/** Whether the page scrolls the list. */
export const isPageScrolled = (list: HTMLElement): boolean => getComputedStyle(list).overflowY !== 'auto';

/** Returns the element that scrolls the rows of a list. */
export function scrollerOf(list: HTMLElement): Element {
  if (!isPageScrolled(list)) return list;
  const main = list.closest('main');
  // At a high zoom, the whole document scrolls.
  if (main !== null && getComputedStyle(main).overflowY === 'auto') return main;
  return document.scrollingElement ?? document.documentElement;
}

/** Returns how far the visible part is below the beginning of the list. Negative: the list begins further down. */
export function positionIn(list: HTMLElement): number {
  const scroller = scrollerOf(list);
  if (scroller === list) return list.scrollTop;
  const top = scroller === document.scrollingElement ? 0 : scroller.getBoundingClientRect().top;
  return top - list.getBoundingClientRect().top;
}

/** Returns the height of the part that shows rows. */
export const heightOf = (list: HTMLElement): number => scrollerOf(list).clientHeight;

export function scrollListBy(list: HTMLElement, distance: number): void {
  scrollerOf(list).scrollTop += distance;
}

/** Scrolls until a part of the list is visible. */
export function bringIntoSight(list: HTMLElement, top: number, height: number): void {
  const position = positionIn(list);
  const shown = heightOf(list);
  if (top < position) scrollListBy(list, top - position);
  else if (top + height > position + shown) scrollListBy(list, top + height - position - shown);
}
