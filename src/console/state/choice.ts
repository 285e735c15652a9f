import { computed, signal, type ReadonlySignal, type Signal } from '@preact/signals';

/** One of several things, chosen by its ID; the first one until then, and where the chosen one is gone. */
export interface ItemChoice<Item> {
  readonly id: Signal<string>;
  readonly chosen: ReadonlySignal<Item | undefined>;
}

export function choiceOf<Item>(all: ReadonlySignal<readonly Item[]>, idOf: (item: Item) => string): ItemChoice<Item> {
  const id = signal('');
  const chosen = computed(() => all.value.find((item) => idOf(item) === id.value) ?? all.value[0]);
  return { id, chosen };
}

/** What makes a field show a signal and change it. */
export function bound(text: Signal<string>, shown: string | undefined = text.value) {
  return {
    value: shown,
    onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      text.value = currentTarget.value;
    },
  };
}
