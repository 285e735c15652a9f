import { bound } from '../state/choice.js';
import type { AddressValue } from '../state/route.js';
import { Field } from './Field.js';

interface Props {
  readonly label: string;
  readonly value: AddressValue;
  readonly options: readonly (readonly [value: string, words: string])[];
}

/** A field that filters a list. It also shows an unknown value from the address, which filters too. */
export function FilterSelect({ label, value, options }: Props) {
  const isUnknown = value.value !== '' && options.every(([known]) => known !== value.value);
  return (
    <Field label={label}>
      <select {...bound(value)}>
        <option value="">all</option>
        {options.map(([known, words]) => (
          <option key={known} value={known}>
            {words}
          </option>
        ))}
        {isUnknown && <option>{value.value}</option>}
      </select>
    </Field>
  );
}
