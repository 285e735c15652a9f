/** Whether a listed post is the one that a request made. Pure: what is known of both is all that counts. */

/** What tells of a listed post which request made it. */
export interface ListedPost {
  readonly content?: string | undefined;
  readonly scheduledFor?: string | undefined;
  readonly platforms?: readonly { readonly platform?: string | undefined }[] | undefined;
  readonly rawRequestBody?: Readonly<Record<string, unknown>> | undefined;
}

/**
 * How well a post fits a request, best first.
 *
 * - `exact`: the service kept the very request (the order of keys and the spelling of a time aside).
 * - `more`: it kept all of it, and something besides.
 * - `similar`: it kept no request; content, platforms and time are the same.
 */
export type PostMatch = 'exact' | 'more' | 'similar';

/** How well a listed post fits a create's body as it was sent; `undefined`: it is another post. */
export function matchPost(sent: Readonly<Record<string, unknown>>, post: ListedPost): PostMatch | undefined {
  const { rawRequestBody: kept } = post;
  if (kept !== undefined) {
    if (!holds(kept, sent)) return undefined;
    return holds(sent, kept) ? 'exact' : 'more';
  }
  const { content = '', platforms, scheduledFor } = sent;
  // A time that was not sent may be one that the service set.
  const atThatTime = scheduledFor === undefined || sameTime(scheduledFor, post.scheduledFor);
  return (post.content ?? '') === content && samePlatforms(platforms, post) && atThatTime ? 'similar' : undefined;
}

/** Whether all of one value stands in another one, which may have more fields. */
function holds(whole: unknown, part: unknown): boolean {
  if (Object.is(whole, part)) return true;
  if (typeof whole === 'string' && typeof part === 'string') return isDateTime(part) && sameTime(part, whole);
  if (Array.isArray(part)) {
    return (
      Array.isArray(whole) && whole.length === part.length && part.every((item, index) => holds(whole[index], item))
    );
  }
  if (typeof part !== 'object' || part === null) return false;
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole)) return false;
  return Object.entries(part).every(
    ([name, value]) => Object.hasOwn(whole, name) && holds((whole as Record<string, unknown>)[name], value),
  );
}

function isDateTime(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}T/.test(text);
}

function sameTime(sent: unknown, kept: string | undefined): boolean {
  if (typeof sent !== 'string' || kept === undefined) return sent === kept;
  return sent === kept || Date.parse(sent) === Date.parse(kept);
}

/** A listed target names its platform alone, not its account. */
function samePlatforms(sent: unknown, post: ListedPost): boolean {
  const platforms = (list: unknown): string[] =>
    (Array.isArray(list) ? (list as { platform?: unknown }[]) : []).map(({ platform }) => String(platform)).sort();
  return platforms(sent).join() === platforms(post.platforms).join();
}
