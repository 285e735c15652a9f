import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { RowFocus } from './VirtualList.js';
import { rowOf } from './virtual-rows.js';

interface Props<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The key of the item that is shown beside the list. */
  readonly chosen?: string | undefined;
  readonly label: string;
  /** The number of rows that are shown first, and added by each press of a button. Default: all. */
  readonly step?: number;
  readonly row: (item: Item, focus: RowFocus) => ComponentChildren;
}

/** Returns the number of shown rows: a part of a long list, but never without the chosen one. */
function useShownRows(step: number, chosen: number) {
  const [most, setMost] = useState(step);
  const list = useRef<HTMLUListElement>(null);
  const focusNext = useRef<number | undefined>(undefined);
  const shown = Math.max(most, chosen + 1);
  useLayoutEffect(() => {
    if (focusNext.current === undefined) return;
    list.current?.querySelector<HTMLElement>(`[data-row="${focusNext.current}"]`)?.focus();
    focusNext.current = undefined;
  }, [shown]);
  const showMore = () => {
    focusNext.current = shown;
    setMost(shown + step);
  };
  return { list, shown, showMore };
}

/** A list of buttons that is one Tab stop. The arrow keys, Home and End move between the rows. */
export function RowList<Item>({ items: all, keyOf, chosen, label, step = Infinity, row }: Props<Item>) {
  const [active, setActive] = useState<string | undefined>();
  const allKeys = all.map(keyOf);
  const { list, shown, showMore } = useShownRows(step, allKeys.indexOf(chosen ?? ''));
  const [items, keys] = [all.slice(0, shown), allKeys.slice(0, shown)];
  // A row that was reached stays reached while others come or go.
  const stop = Math.max(0, keys.indexOf((active !== undefined && keys.includes(active) ? active : chosen) ?? ''));
  return (
    <>
      <ul
        ref={list}
        role="list"
        class="rows"
        aria-label={label}
        onFocusIn={({ target }) => {
          setActive(keys[rowOf(target) ?? -1]);
        }}
        onFocusOut={({ relatedTarget }) => {
          if (!(relatedTarget instanceof Node && list.current?.contains(relatedTarget) === true)) setActive(undefined);
        }}
        onKeyDown={(event) => {
          const index = rowOf(event.target);
          const next = index === undefined ? undefined : nextIndex(event, index, items.length);
          if (next === undefined) return;
          event.preventDefault();
          list.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus();
        }}
      >
        {items.map((item, index) => (
          <li key={keys[index]} aria-setsize={all.length} aria-posinset={index + 1}>
            {row(item, { tabIndex: index === stop ? 0 : -1, 'data-row': index })}
          </li>
        ))}
      </ul>
      {items.length < all.length && (
        <button type="button" class="button button-small" onClick={showMore}>
          Show {Math.min(step, all.length - items.length)} more
        </button>
      )}
    </>
  );
}

function nextIndex({ key, ctrlKey, altKey, metaKey, shiftKey }: KeyboardEvent, index: number, count: number) {
  if (ctrlKey || altKey || metaKey || shiftKey) return undefined;
  switch (key) {
    case 'ArrowDown':
      return Math.min(index + 1, count - 1);
    case 'ArrowUp':
      return Math.max(index - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return undefined;
  }
}
