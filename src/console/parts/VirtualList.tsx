import type { ComponentChildren } from 'preact';
import { useVirtualRows } from './virtual-rows.js';

/** What a row's one button or link takes, so that the arrow keys find it. */
export interface RowFocus {
  readonly tabIndex: 0 | -1;
  readonly 'data-row': number;
}

interface Props<Item> {
  readonly items: readonly Item[];
  /** The height of every row in CSS pixels, as its style sheet has it. */
  readonly rowHeight: number;
  readonly label: string;
  readonly keyOf: (item: Item) => string;
  readonly row: (item: Item, focus: RowFocus) => ComponentChildren;
}

/**
 * A list of any length that draws only the rows in sight. One row takes part in the order of Tab; the arrow keys, Home, End and
 * the page keys move among them.
 */
export function VirtualList<Item>({ items, rowHeight, label, keyOf, row }: Props<Item>) {
  const { viewport, list, from, to, tabStop, scrolled, focused, pressed } = useVirtualRows(items.length, rowHeight);
  return (
    <div ref={viewport} class="virtual" onScroll={scrolled} onFocusIn={focused} onKeyDown={pressed}>
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
