import { signal, type ReadonlySignal } from '@preact/signals';

function matching(media: string): ReadonlySignal<boolean> {
  const query = matchMedia(media);
  const matches = signal(query.matches);
  query.addEventListener('change', () => {
    matches.value = query.matches;
  });
  return matches;
}

/** Whether the page is as narrow as a phone. The style sheets use the same width. */
export const isNarrow = matching('(max-width: 720px)');

/** Whether a list is above its panel instead of beside it. The style sheets use the same width. */
export const isStacked = matching('(max-width: 980px)');
