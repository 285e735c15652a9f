import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { AddressValue } from './route.js';

/** Takes the place of an ID in the address: the form for a new item is open. */
export const newItem = 'new';

/** An item chosen by its ID. Without a choice, or if the chosen item is gone, the first one. */
export interface ItemChoice<Item> {
  readonly id: AddressValue;
  readonly chosen: ReadonlySignal<Item | undefined>;
}

/** @param id where the ID is kept. Default: in the page only */
export function choiceOf<Item>(
  all: ReadonlySignal<readonly Item[]>,
  idOf: (item: Item) => string,
  id: AddressValue = signal(''),
): ItemChoice<Item> {
  // The first item stays chosen when others are inserted before it: a changing list must not change the shown item.
  let first = '';
  const chosen = computed(() => {
    const find = (wanted: string) => all.value.find((item) => idOf(item) === wanted);
    const found = (id.value === '' ? undefined : find(id.value)) ?? find(first) ?? all.value[0];
    first = found === undefined ? '' : idOf(found);
    return found;
  });
  return { id, chosen };
}

/** The ID in an address if none of the items has it. Undefined until the items are read. */
export const unknownId = <Item>(
  all: ReadonlySignal<readonly Item[] | undefined>,
  idOf: (item: Item) => string,
  id: AddressValue,
): ReadonlySignal<string | undefined> =>
  computed(() => {
    const { value } = id;
    if (value === '' || value === newItem || all.value === undefined) return undefined;
    return all.value.some((item) => idOf(item) === value) ? undefined : value;
  });

/** Returns the properties that bind a field to a value. */
export function bound(text: AddressValue, shown: string | undefined = text.value) {
  return {
    value: shown,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      text.value = currentTarget.value;
    },
  };
}
