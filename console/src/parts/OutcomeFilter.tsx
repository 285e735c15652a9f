import { partOf, quantity } from '../state/quantity.js';
import type { AddressValue } from '../state/route.js';
import { FilterBar } from './FilterBar.js';
import { FilterSelect } from './FilterSelect.js';

/** The value of a filter that shows only failures. The navigation links to it. */
export const onlyFailed = 'failed';

interface Props {
  readonly label?: string;
  readonly filter: AddressValue;
  /** The words for a failure. */
  readonly failed: string;
  readonly shown: number;
  readonly all: number;
  /** The name of one item, and of several items. */
  readonly names: readonly [string, string];
}

/** Filters a list by failures, and shows the number of matching items. */
export function OutcomeFilter({ label = 'Outcome', filter, failed, shown, all, names: [one, many] }: Props) {
  const known = quantity(all, one, many);
  const text = shown === 0 && all > 0 ? `No match in ${known}. Change the filter.` : partOf(shown, all, known);
  return (
    <FilterBar label={`Filter ${many}`} text={text} filters={[filter]}>
      <FilterSelect label={label} value={filter} options={[[onlyFailed, failed]]} />
    </FilterBar>
  );
}
