import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { bringIntoSight, heightOf, isPageScrolled, positionIn, scrollerOf, scrollListBy } from './list-scroll.js';

/** The number of rows drawn above and below the visible ones. */
const margin = 6;
/** Rows are added and removed in blocks, so scrolling redraws less often. */
const block = 4;
/** The height of a row until the page measures it. */
const firstHeight = 48;

/**
 * Computes which rows of a long list are drawn, and which row has the keyboard focus. `keys` are the items in order,
 * `chosen` is the item that is shown beside the list.
 */
export function useVirtualRows(keys: readonly string[], chosen: string | undefined) {
  const count = keys.length;
  const viewport = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const { appears, isHidden, measured } = useReturn();
  const { rowHeight, rows, isMeasured } = useHeights({ viewport, list }, measured);
  const { first, active, settle, setFirst, setActive } = useAnchor({ keys, rowHeight, viewport });
  const focusNext = useRef(false);

  const from = Math.max(0, Math.min(first, count - 1) - margin);
  const to = Math.min(count, first + rows + margin + block);
  const reached = Math.min(active, count - 1);
  const tabStop = reached >= from && reached < to ? reached : Math.min(first, count - 1);

  useSpaces({ viewport, list }, { count, above: from, below: count - to, rowHeight, settle });
  useLayoutEffect(() => {
    if (!focusNext.current) return;
    focusNext.current = false;
    // While rows were exchanged, the list was shorter, and the browser may have scrolled back.
    if (viewport.current !== null) bringIntoSight(viewport.current, tabStop * rowHeight, rowHeight);
    list.current?.querySelector<HTMLElement>(`[data-row="${tabStop}"]`)?.focus({ preventScroll: true });
  });

  const reach = (index: number) => {
    const element = viewport.current;
    if (element === null || count === 0) return;
    const target = Math.max(0, Math.min(index, count - 1));
    bringIntoSight(element, target * rowHeight, rowHeight);
    setFirst(blockOf(positionIn(element), rowHeight));
    setActive(target);
  };
  useChosenRow(viewport, isMeasured, keys, chosen, reach);
  appears.current = () => {
    reach(active);
  };
  useScrolling(viewport, (element) => {
    if (!isHidden.current) setFirst(blockOf(positionIn(element), rowHeight));
  });
  const focused = ({ target }: FocusEvent) => {
    const index = rowOf(target);
    if (index !== undefined) setActive(index);
  };
  const pressed = (event: KeyboardEvent) => {
    const next = rowOf(event.target) === undefined ? undefined : nextIndex(event.key, reached, rows, count);
    if (next === undefined) return;
    event.preventDefault();
    reach(next);
    focusNext.current = true;
  };
  return { viewport, list, from, to, tabStop, focused, pressed };
}

/** Calls a function after a list or its page was scrolled. */
function useScrolling(viewport: Elements['viewport'], scrolled: (element: HTMLElement) => void): void {
  const latest = useRef(scrolled);
  latest.current = scrolled;
  useLayoutEffect(() => {
    const listener = ({ target }: Event) => {
      const element = viewport.current;
      // A hidden list keeps its place.
      if (element !== null && element.clientHeight > 0 && target instanceof Node && target.contains(element))
        latest.current(element);
    };
    // Scroll events do not bubble.
    document.addEventListener('scroll', listener, { capture: true, passive: true });
    return () => {
      document.removeEventListener('scroll', listener, { capture: true });
    };
  }, []);
}

/** Brings the chosen row into sight: an address or another view may choose an item whose row is out of sight. */
function useChosenRow(
  viewport: Elements['viewport'],
  isMeasured: boolean,
  keys: readonly string[],
  chosen: string | undefined,
  reach: (index: number) => void,
): void {
  useLayoutEffect(() => {
    const element = viewport.current;
    // A hidden list keeps its place.
    if (element === null || !isMeasured || element.clientHeight === 0 || chosen === undefined) return;
    const place = keys.indexOf(chosen);
    // A narrow page begins with its heading: the first row, which is the default choice, must not move it.
    if (place > 0 || (place === 0 && !isPageScrolled(element))) reach(place);
  }, [chosen, isMeasured]);
}

/** Calls a function when a hidden list appears again: meanwhile, the page was scrolled to the chosen item. */
function useReturn() {
  const appears = useRef<(() => void) | undefined>(undefined);
  const isHidden = useRef(false);
  const measured = (isShown: boolean) => {
    if (isShown && isHidden.current) appears.current?.();
    isHidden.current = !isShown;
  };
  return { appears, isHidden, measured };
}

interface Rows {
  readonly keys: readonly string[];
  readonly rowHeight: number;
  readonly viewport: { readonly current: HTMLElement | null };
}

/**
 * Keeps the visible rows at their place while rows above them are added or removed. Returns the new index of an item,
 * and the first drawn row. The same rows are drawn again, so that the focused row stays in the page.
 */
function useAnchor({ keys, rowHeight, viewport }: Rows) {
  const [first, setFirst] = useState(0);
  const [active, setActive] = useState(0);
  const shown = useRef(keys);
  const before = shown.current;
  const placeOf = (index: number) => (before === keys ? index : placeAfter(before, keys, index));
  // Scrolling redraws often, and reading the position of the list then is slow.
  const element = before === keys ? null : viewport.current;
  // At its top, an unfocused list shows new items.
  const position = element === null ? 0 : Math.max(0, positionIn(element));
  const isAnchored = element !== null && (position > 0 || element.contains(document.activeElement));
  const top = isAnchored ? Math.floor(position / rowHeight) : 0;
  const moved = isAnchored ? placeOf(top) - top : 0;
  const activeNow = placeOf(active);
  /** Call it after the rows are drawn and the list has its new height. */
  const settle = () => {
    if (before === keys) return;
    shown.current = keys;
    setActive(activeNow);
    if (element === null || moved === 0) return;
    scrollListBy(element, moved * rowHeight);
    setFirst(blockOf(positionIn(element), rowHeight));
  };
  return { first: Math.max(0, first + moved), active: activeNow, settle, setFirst, setActive };
}

/** Returns the new index of the item at an index. A removed item leaves its index to the next one. */
function placeAfter(before: readonly string[], keys: readonly string[], index: number): number {
  const key = before[index];
  const place = key === undefined || keys[index] === key ? -1 : keys.indexOf(key);
  return place === -1 ? index : place;
}

interface Elements {
  readonly viewport: { readonly current: HTMLElement | null };
  readonly list: { readonly current: HTMLElement | null };
}

interface Spaces {
  readonly count: number;
  /** The number of rows above and below the drawn ones. */
  readonly above: number;
  readonly below: number;
  readonly rowHeight: number;
  readonly settle: () => void;
}

/**
 * Sets the height of all rows, and the spaces above and below the drawn ones. Keeps these in sight if the height of a
 * row changes.
 */
function useSpaces({ viewport, list }: Elements, { count, above, below, rowHeight, settle }: Spaces): void {
  const drawnHeight = useRef(rowHeight);
  useLayoutEffect(() => {
    // Style sheets cannot know these lengths. A script sets them, because the page's policy refuses inline styles.
    list.current?.style.setProperty('--space-above', `${above * rowHeight}px`);
    list.current?.style.setProperty('--space-below', `${below * rowHeight}px`);
    viewport.current?.style.setProperty('--all-rows', `${count * rowHeight}px`);
    settle();
    if (viewport.current !== null && drawnHeight.current !== rowHeight) {
      const position = Math.max(0, positionIn(viewport.current));
      scrollListBy(viewport.current, position * (rowHeight / drawnHeight.current - 1));
      drawnHeight.current = rowHeight;
    }
  });
}

/** Measures the height of all rows, which depends on the size of the text, and the number of visible rows. */
function useHeights({ viewport, list }: Elements, measured: (isShown: boolean) => void) {
  const [rowHeight, setRowHeight] = useState(firstHeight);
  const [rows, setRows] = useState(20);
  const [isMeasured, setMeasured] = useState(false);
  useLayoutEffect(() => {
    const element = viewport.current;
    if (element === null || list.current === null) return undefined;
    const measure = () => {
      const height = list.current?.firstElementChild?.getBoundingClientRect().height ?? 0;
      measured(height > 0);
      // A hidden list has no height.
      if (height === 0) return;
      setRowHeight(height);
      setRows(Math.ceil(heightOf(element) / height));
      setMeasured(true);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    observer.observe(list.current);
    observer.observe(scrollerOf(element));
    return () => {
      observer.disconnect();
    };
  }, []);
  return { rowHeight, rows, isMeasured };
}

/** The index of the row that a key or the focus reached. */
export function rowOf(target: EventTarget | null): number | undefined {
  const row = target instanceof HTMLElement ? target.dataset['row'] : undefined;
  return row === undefined ? undefined : Number(row);
}

function blockOf(position: number, rowHeight: number): number {
  return Math.floor(Math.max(0, position) / rowHeight / block) * block;
}

function nextIndex(key: string, active: number, rows: number, count: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
      return active + 1;
    case 'ArrowUp':
      return active - 1;
    case 'PageDown':
      return active + rows - 1;
    case 'PageUp':
      return active - rows + 1;
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
