import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import type { RowFocus } from './VirtualList.js';
import { rowOf } from './virtual-rows.js';

interface Props<Item> {
  readonly items: readonly Item[];
  readonly keyOf: (item: Item) => string;
  /** The key of the item that is shown beside the list. */
  readonly chosen?: string | undefined;
  readonly label: string;
  readonly class?: string;
  readonly row: (item: Item, focus: RowFocus) => ComponentChildren;
}

/** A list of buttons that is one Tab stop. The arrow keys, Home and End move between the rows. */
export function RowList<Item>({ items, keyOf, chosen, label, class: className = 'rows', row }: Props<Item>) {
  const [active, setActive] = useState<string | undefined>();
  const list = useRef<HTMLUListElement>(null);
  const keys = items.map(keyOf);
  // A row that was reached stays reached while others come or go.
  const stop = Math.max(0, keys.indexOf((active !== undefined && keys.includes(active) ? active : chosen) ?? ''));
  return (
    <ul
      ref={list}
      role="list"
      class={className}
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
        <li key={keys[index]}>{row(item, { tabIndex: index === stop ? 0 : -1, 'data-row': index })}</li>
      ))}
    </ul>
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
