import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';

/** An item chosen by its ID. Without a choice, or if the chosen item is gone, the first one. */
export interface ItemChoice<Item> {
  readonly id: Signal<string>;
  readonly chosen: ReadonlySignal<Item | undefined>;
}

export function choiceOf<Item>(all: ReadonlySignal<readonly Item[]>, idOf: (item: Item) => string): ItemChoice<Item> {
  const id = signal('');
  const chosen = computed(() => all.value.find((item) => idOf(item) === id.value) ?? all.value[0]);
  return { id, chosen };
}

/** Returns the properties that bind a field to a signal. */
export function bound(text: Signal<string>, shown: string | undefined = text.value) {
  return {
    value: shown,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      text.value = currentTarget.value;
    },
  };
}
