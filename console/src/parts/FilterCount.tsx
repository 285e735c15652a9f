import type { AddressValue } from '../state/route.js';
import { Icon } from './Icon.js';

interface Props {
  /** How many items match, of how many. */
  readonly text: string;
  readonly filters: readonly AddressValue[];
}

/** The number of shown items, with a button that removes all filters. */
export function FilterCount({ text, filters }: Props) {
  return (
    <div class="filter-count">
      <p class="count" role="status">
        {text}
      </p>
      {filters.some(({ value }) => value !== '') && (
        <button
          type="button"
          class="button button-small"
          onClick={() => {
            for (const filter of filters) filter.value = '';
          }}
        >
          <Icon name="cross" />
          Clear filters
        </button>
      )}
    </div>
  );
}
