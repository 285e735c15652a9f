import { isFields } from '../core/json.js';

export type RequestedTarget = Readonly<Record<string, unknown>> & {
  readonly platform: string;
  readonly accountId: string;
};

/** The fields of a listed post that this file reads. */
export interface PostWithRequest {
  readonly platforms?: readonly { readonly platform?: string | undefined }[] | undefined;
  readonly rawRequestBody?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * Returns the targets with which a listed post was created, by platform. `undefined` if its `rawRequestBody` does not
 * contain them. Also `undefined` if the post's current targets differ in number or platform, because it was edited
 * since.
 */
export function requestedTargets(post: PostWithRequest): ReadonlyMap<string, readonly RequestedTarget[]> | undefined {
  const requested = post.rawRequestBody?.['platforms'];
  if (!Array.isArray(requested) || !requested.every(isRequestedTarget)) return undefined;
  const now = (post.platforms ?? []).map(({ platform }) => platform ?? '').sort();
  const then = requested.map(({ platform }) => platform).sort();
  if (now.length !== then.length || now.some((platform, index) => platform !== then[index])) return undefined;
  const byPlatform = new Map<string, RequestedTarget[]>();
  for (const target of requested) {
    byPlatform.set(target.platform, [...(byPlatform.get(target.platform) ?? []), target]);
  }
  return byPlatform;
}

function isRequestedTarget(value: unknown): value is RequestedTarget {
  if (!isFields(value)) return false;
  const { platform, accountId } = value;
  return typeof platform === 'string' && typeof accountId === 'string' && accountId !== '';
}
