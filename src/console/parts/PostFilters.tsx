import { knownPostStatuses } from 'social-publishing';
import { bound } from '../state/choice.js';
import { problemFilter } from '../state/post-filter.js';
import type { AddressValue } from '../state/route.js';
import { Field } from './Field.js';
import { PlatformOptions } from './Options.js';

/** The fields that filter posts by status and platform. */
export function PostFilters({ status, platform }: { readonly status: AddressValue; readonly platform: AddressValue }) {
  return (
    <>
      <Field label="Status">
        <select {...bound(status)}>
          <option value="">all</option>
          <option value={problemFilter.status}>failed or partial</option>
          {knownPostStatuses.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </Field>
      <Field label="Platform">
        <select {...bound(platform)}>
          <option value="">all</option>
          <PlatformOptions />
        </select>
      </Field>
    </>
  );
}
