import { computed, signal, type ReadonlySignal } from '@preact/signals';
import type { AddressValue } from './route.js';

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

/** Returns the properties that bind a field to a value. */
export function bound(text: AddressValue, shown: string | undefined = text.value) {
  return {
    value: shown,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      text.value = currentTarget.value;
    },
  };
}
