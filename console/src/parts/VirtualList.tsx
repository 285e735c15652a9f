import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useVirtualRows } from './virtual-rows.js';

/** The focus properties of a row's button or link, for the arrow keys. */
export interface RowFocus {
  readonly tabIndex: 0 | -1;
  readonly 'data-row': number;
}

interface Props<Item> {
  readonly items: readonly Item[];
  readonly label: string;
  readonly keyOf: (item: Item) => string;
  /** The key of the item that is shown beside the list. */
  readonly chosen?: string | undefined;
  readonly row: (item: Item, focus: RowFocus) => ComponentChildren;
}

/**
 * A list of any length that draws only the visible rows. All rows have the height that its style sheet sets. One row
 * is in the Tab order; the arrow keys, Home, End and the page keys move between rows.
 */
export function VirtualList<Item>({ items, label, keyOf, chosen, row }: Props<Item>) {
  const keys = useMemo(() => items.map(keyOf), [items]);
  const { viewport, list, from, to, tabStop, focused, pressed } = useVirtualRows(keys, chosen);
  return (
    <div ref={viewport} class="virtual" onFocusIn={focused} onKeyDown={pressed}>
      <ul ref={list} class="virtual-list" role="list" aria-label={label}>
        {items.slice(from, to).map((item, place) => {
          const index = from + place;
          return (
            <li key={keyOf(item)} aria-setsize={items.length} aria-posinset={index + 1}>
              {row(item, { tabIndex: index === tabStop ? 0 : -1, 'data-row': index })}
            </li>
          );
        })}
      </ul>
    </div>
  );
}
