import type { Post } from 'social-publishing';
import { targetsOf } from './posts.js';

interface NamedTarget {
  readonly platform: string;
  readonly accountId: string;
}

/** A request about the post, as the control API shows it. */
interface PostRequest {
  readonly method: string;
  readonly status?: number;
  readonly body?: unknown;
}

/**
 * Returns the account of each target of a post, in order; undefined if it is not known. A listed target does not show
 * its account. The account comes from the last edit of the targets, otherwise from the body of the create.
 * @param requests the requests about the post, the latest first
 */
export function accountsOf(post: Post, requests: readonly PostRequest[] = []): readonly (string | undefined)[] {
  const edit = requests.find(
    ({ method, status = 500, body }) => method === 'PUT' && status < 400 && platformsIn(body) !== undefined,
  );
  // An edit leaves the body of the creation as it was.
  const named = namedTargets(platformsIn(edit?.body ?? post.rawRequestBody));
  const platforms = (post.platforms ?? []).map(({ platform }) => platform);
  if (named?.length === platforms.length && named.every(({ platform }, index) => platform === platforms[index]))
    return named.map(({ accountId }) => accountId);
  return edit === undefined ? targetsOf(post).map(({ accountId }) => accountId) : platforms.map(() => undefined);
}

function platformsIn(body: unknown): unknown {
  return typeof body === 'object' && body !== null && 'platforms' in body ? body.platforms : undefined;
}

function namedTargets(platforms: unknown): readonly NamedTarget[] | undefined {
  return Array.isArray(platforms) && platforms.every(isNamedTarget) ? platforms : undefined;
}

function isNamedTarget(value: unknown): value is NamedTarget {
  return (
    typeof value === 'object' &&
    value !== null &&
    'platform' in value &&
    typeof value.platform === 'string' &&
    'accountId' in value &&
    typeof value.accountId === 'string' &&
    value.accountId !== ''
  );
}
