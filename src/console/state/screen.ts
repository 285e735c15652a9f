import { signal } from '@preact/signals';

const query = matchMedia('(max-width: 720px)');

/** Whether the page is as narrow as a phone. The style sheets use the same width. */
export const isNarrow = signal(query.matches);

query.addEventListener('change', () => {
  isNarrow.value = query.matches;
});
