import { knownPlatforms, knownPostStatuses } from 'social-publishing';
import { platformName } from '../state/platform-names.js';
import { problemFilter } from '../state/post-filter.js';
import type { AddressValue } from '../state/route.js';
import { FilterSelect } from './FilterSelect.js';

const statuses = [
  [problemFilter.status, 'failed or partial'],
  ...knownPostStatuses.map((name) => [name, name] as const),
] as const;

const platforms = knownPlatforms.map((platform) => [platform, platformName(platform)] as const);

/** The fields that filter posts by status and platform. */
export function PostFilters({ status, platform }: { readonly status: AddressValue; readonly platform: AddressValue }) {
  return (
    <>
      <FilterSelect label="Status" value={status} options={statuses} />
      <FilterSelect label="Platform" value={platform} options={platforms} />
    </>
  );
}
