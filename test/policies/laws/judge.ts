import { inspect } from 'node:util';
import { InvalidRequestError, RateLimitError, SocialPublishingError, TimeoutError } from '../../../src/core/errors.js';
import { testKey } from '../client.js';
import type { EndedCreate, EndedReconcile, History } from './run.js';
import { totalTimeoutMs } from './world.js';

/** The laws, in words. */
export const laws = {
  a: 'a create is carried out at most once',
  b: 'no error says not_sent or rejected of a post that exists',
  c: 'no two creates are told the same post, nor one that another create resolved to',
  d: 'a create in doubt that nothing equals is found if its post is there, and nothing is taken for it if not',
  e: 'no secret is in anything that a caller, a hook or a log can see',
  f: 'everything ends within its total time, and leaves no timer, listener or body behind',
} as const;

export type Law = keyof typeof laws;

/** How a sequence broke the laws. */
export function violations(history: History): Record<Law, string[]> {
  return {
    a: history.creates.filter(({ call }) => call.posts.length > 1).map(described),
    b: [
      ...history.creates.filter(isWronglyDenied).map(described),
      ...history.reconciles.filter(isWronglyTold).map(describedReconcile),
    ],
    c: claimedTwice(history),
    d: history.reconciles.filter((one) => isWrong(one, history)).map(describedReconcile),
    e: leaks(history),
    f: [...history.left, ...late(history), ...[...history.world.openBodies].map(() => 'an open body')],
  };
}

/** An abort rejects with the caller's own reason, which says nothing of the call. */
function isWronglyDenied({ call, error, aborted }: EndedCreate): boolean {
  return !aborted && error instanceof SocialPublishingError && error.outcome !== 'unknown' && call.posts.length > 0;
}

/** Errors of reconcile have the outcome of the create, unless the question itself is invalid. */
function isWronglyTold({ of, error }: EndedReconcile): boolean {
  return (
    error instanceof SocialPublishingError &&
    !(error instanceof InvalidRequestError) &&
    error.outcome !== 'unknown' &&
    of.call.posts.length > 0
  );
}

function claimedTwice({ creates, reconciles }: History): string[] {
  const owners = new Map<string, Set<EndedCreate>>();
  const own = (postId: string, create: EndedCreate) => {
    owners.set(postId, (owners.get(postId) ?? new Set()).add(create));
  };
  const found = new Map<EndedCreate, Set<string>>();
  for (const create of creates) if (create.postId !== undefined) own(create.postId, create);
  for (const { of, result } of reconciles) {
    if (result?.status !== 'created') continue;
    own(result.post.postId, of);
    found.set(of, (found.get(of) ?? new Set()).add(result.post.postId));
  }
  return [
    ...[...owners]
      .filter(([, of]) => of.size > 1)
      .map(([postId, of]) => `${postId} was told to ${String(of.size)} creates`),
    ...[...found.values()]
      .filter(({ size }) => size > 1)
      .map((posts) => `one create was told ${[...posts].join(' and ')}`),
  ];
}

/** Bodies 0 and 1 differ in a field that the service may have added. */
const kinOf = (body: number) => (body === 1 ? 0 : body);

function isWrong({ of, result, error, from, operation }: EndedReconcile, { creates }: History): boolean {
  const equals = creates.filter((create) => create !== of && kinOf(create.operation.body) === kinOf(of.operation.body));
  if (equals.length > 0) return false;
  const own = of.call.posts[0];
  const told = result?.status === 'created' ? result.post.postId : undefined;
  if (told !== undefined) return told !== own?.postId;
  // The question is invalid: see `reconcile`.
  const isDoubt = of.aborted ? typeof of.error === 'object' : (of.error as { outcome?: unknown }).outcome === 'unknown';
  if (!isDoubt || own === undefined || own.at > from) return false;
  // A fault of the list may end the search, with an error that says so; slow replies may take all its time.
  return error === undefined || (operation.faults.length === 0 && !isOutOfTime(error));
}

function isOutOfTime(error: unknown): boolean {
  const { cause } = error as { cause?: unknown };
  return cause instanceof RateLimitError || cause instanceof TimeoutError;
}

function leaks({ world, creates, reconciles, errors }: History): string[] {
  const seen = [
    ...world.told,
    ...errors,
    ...creates.map(({ error }) => error),
    ...reconciles.map(({ result }) => result),
  ];
  return seen
    .map((value) => {
      const shown = [inspect(value, { depth: Infinity, showHidden: true })];
      if (value instanceof Error) shown.push(String(value), value.stack ?? '', JSON.stringify(value));
      return shown.join('\n');
    })
    .filter((text) => text.includes(testKey));
}

/** The extra time of a busy machine. */
const graceMs = 5_000;

function late({ creates, reconciles }: History): string[] {
  return [
    ...creates
      .filter(({ tookMs }) => tookMs > totalTimeoutMs + graceMs)
      .map(({ tookMs }) => `a create took ${String(tookMs)} ms`),
    // Each search of the list has the total time, and the last may begin when waitMs ends.
    ...reconciles
      .filter(({ tookMs, operation: { waitMs } }) => tookMs > waitMs + 3 * totalTimeoutMs + graceMs)
      .map(({ tookMs }) => `a reconcile took ${String(tookMs)} ms`),
  ];
}

function described({ operation, call, postId, error }: EndedCreate): string {
  const end = postId ?? (error instanceof SocialPublishingError ? `${error.name} (${error.outcome})` : String(error));
  const posts = call.posts.map((post) => post.postId).join(', ');
  return `body ${String(operation.body)} ended with ${end}; its posts: ${posts === '' ? 'none' : posts}`;
}

function describedReconcile({ of, result, error }: EndedReconcile): string {
  const told = result === undefined ? String(error) : result.status === 'created' ? result.post.postId : result.status;
  return `${described(of)}; reconcile: ${told}`;
}
