import type { ComponentChildren } from 'preact';
import type { AddressValue } from '../state/route.js';
import { focusRowOrPanel } from './focus.js';
import { FilterCount } from './FilterCount.js';

interface Props {
  readonly label: string;
  /** How many items match, of how many. */
  readonly text: string;
  readonly filters: readonly AddressValue[];
  /** The fields of the filters. */
  readonly children: ComponentChildren;
}

/** The filters of a list, with the number of shown items. */
export function FilterBar({ label, text, filters, children }: Props) {
  return (
    <div class="filter-row">
      <div
        class="filters"
        role="search"
        aria-label={label}
        onKeyDown={(event) => {
          // From the search field to the list.
          const isSearch = event.target instanceof HTMLInputElement && event.target.type === 'search';
          if (event.key === 'ArrowDown' && isSearch && focusRowOrPanel()) event.preventDefault();
        }}
      >
        {children}
      </div>
      <FilterCount text={text} filters={filters} />
    </div>
  );
}
