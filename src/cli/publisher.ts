import {
  createPublisher,
  ForeignDataError,
  type Publisher,
  type Intent,
  type IntentStats,
  type OutageProgress,
} from '../publisher/index.js';
import {
  outcomeOf,
  SocialPublishing,
  SocialPublishingError,
  type Integration,
  type PreflightFinding,
} from '../index.js';
import { decidedSendSettlesAt, hasOtherPost, isToSendAgain, isWaiting, settlesAt } from '../publisher/search-again.js';
import { preflightAll, type PlannedPost } from '../resources/preflight/preflight.js';
import { CommandError, exitCodes, type ExitCode } from './errors.js';
import { isLoopback } from '../core/parse-url.js';
import { findAccessKey, findBaseUrl, knownBaseUrl } from './connection.js';
import { withStore, type StoreUse } from './store.js';
import { messageOf, reportError } from './report-error.js';
import { intentLine, quoted, type Session, storeOptions } from './command.js';

/** A publisher on the store that the options name. */
export interface OpenPublisher {
  /** With the methods that only the command uses. */
  readonly publisher: ReturnType<typeof createPublisher>;
  /** The store's name, for messages. */
  readonly store: string;
  readonly warnings?: readonly string[] | undefined;
}

export interface PublisherUse extends StoreUse {
  /** Default: the work calls nothing, and needs no access key. */
  readonly client?: SocialPublishing | undefined;
  readonly leaseMs?: number;
  /** The next step if the store fails. Default: the same command again. */
  readonly ifStoreFails?: string;
}

/** Opens the publisher, does the work, and closes the store. */
export async function withPublisher<Result>(
  session: Session,
  use: PublisherUse,
  work: (opened: OpenPublisher) => Promise<Result>,
): Promise<Result> {
  const client = use.client ?? (await connectToStore(session));
  try {
    return await withStore(session, use, async (store, { name, warnings }) => {
      const { leaseMs } = use;
      const options = { client, store, now: session.world.now, leaseMs, sendAheadMs: session.sendAheadMs() };
      // The second argument chooses the signature with the methods of the command.
      return work({ publisher: createPublisher(options, undefined), store: name, warnings });
    });
  } catch (error) {
    if (error instanceof ForeignDataError && outcomeOf(error) !== 'unknown')
      throw new CommandError(messageOf(error), exitCodes.failure);
    // The store failed. Then other commands must not be repeated.
    if (error instanceof SocialPublishingError && outcomeOf(error) === 'unknown')
      Object.assign(error, {
        next:
          use.ifStoreFails ??
          `${error instanceof ForeignDataError ? 'Upgrade, then run' : 'Run'} the same command again: it sends nothing twice.`,
      });
    throw error;
  }
}

/** A client that calls nothing: it names the service of the intents. */
async function connectToStore(session: Session): Promise<SocialPublishing> {
  // A stored text can contain the key, and no output shows it.
  await findAccessKey(session);
  return new SocialPublishing({ baseUrl: knownBaseUrl(session), accessKey: null });
}

/**
 * The findings of `preflight` for the posts of a dry run, in their order. A post that was sent has none. `undefined`: not
 * checked. It compares the posts with intents of other keys that are not sent, and creates no store.
 */
export async function dryFindings(
  session: Session,
  client: SocialPublishing,
  posts: readonly (PlannedPost & { readonly key: string })[],
  integrations?: readonly Integration[],
): Promise<(PreflightFinding[] | undefined)[]> {
  if (session.value('preflight') === false) return posts.map(() => undefined);
  const sent = new Set<PlannedPost>();
  const waiting: PlannedPost[] = [];
  const unread: PreflightFinding[] = [];
  const own = new Set(posts.map(({ key }) => key.normalize('NFC')));
  const read = async ({ publisher }: OpenPublisher) => {
    for (const post of posts) {
      const { state = 'ready' } = (await publisher.get(post.key)) ?? {};
      if (state !== 'ready' && state !== 'rejected') sent.add(post);
    }
    for await (const { key, body, extraBody } of publisher.list({ state: 'ready' }))
      if (!own.has(key.normalize('NFC'))) waiting.push({ name: `The intent ${quoted(key)}`, body, extraBody });
  };
  await withPublisher(session, { ifMissing: 'empty' }, read).catch((error: unknown) => {
    const message = `The store could not be read, so intents that are not sent yet may be overlooked: ${messageOf(error)}`;
    unread.push({ code: 'not_checked', severity: 'warning', message });
  });
  const unsent = posts.filter((post) => !sent.has(post));
  const found = await preflightAll(client, unsent, { waiting, integrations, signal: session.world.signal });
  const findings = new Map(unsent.map((post, index) => [post, [...(found[index] ?? []), ...unread]]));
  return posts.map((post) => findings.get(post) ?? []);
}

/** Returns since when a call waits for a service that is down. */
export function waitText({ waitingMs, waitingSince = '' }: OutageProgress): string | undefined {
  if (waitingMs === undefined) return undefined;
  return `the service is down since ${waitingSince.slice(11, 19)}Z, next try in ${Math.ceil(waitingMs / 1_000)} s`;
}

/** Returns a function that notes each new pause on stderr: with `--json`, as JSON. */
export function outageNote({ output }: Session): (progress: OutageProgress) => void {
  let noted: string | undefined;
  return ({ waitingMs, waitingSince }) => {
    const text = waitText({ waitingMs, waitingSince });
    if (text === noted) return;
    noted = text;
    if (text === undefined) return;
    if (output.errorsAsJson) output.error(JSON.stringify({ waiting: { waitingMs, waitingSince } }));
    else output.note(`Waiting: ${text}.`);
  };
}

export const stopped = 'Stopped. Run the command again: it continues, and sends nothing twice.';

export function findingText({ severity, code, message }: PreflightFinding): string {
  return `${severity} ${code}: ${message}`;
}

export function findingsExitCode(findings: readonly PreflightFinding[]): ExitCode {
  return findings.some(({ severity }) => severity === 'error') ? exitCodes.failure : exitCodes.success;
}

/** The items that this version cannot read. They do not end a list, and are reported after the work. */
export class Unreadable {
  /** What is wrong with each. */
  readonly messages = new Set<string>();

  /** Yields the items that this version can read. */
  async *readable<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item, void, undefined> {
    try {
      yield* items;
    } catch (error) {
      if (!(error instanceof ForeignDataError)) throw error;
      this.messages.add(messageOf(error));
    }
  }

  /** Counts the open intents. The counts show only the number of unreadable items, so a list finds them. */
  async stats(publisher: Publisher): Promise<IntentStats> {
    const stats = await publisher.stats();
    if (stats.unreadable !== undefined) for await (const _ of this.readable(publisher.list({ state: 'in_doubt' })));
    return stats;
  }
}

/** A publisher on intents that exist. */
export interface OpenIntents extends OpenPublisher {
  readonly unreadable: Unreadable;
}

/** Does the work of a command on intents that exist. Items that this version cannot read are reported at its end. */
export function onIntents(
  session: Session,
  use: PublisherUse,
  work: (opened: OpenIntents) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withPublisher(session, { ifMissing: 'refuse', ...use }, async (opened) => {
    const unreadable = new Unreadable();
    const exitCode = await work({ ...opened, unreadable });
    for (const message of unreadable.messages) reportError(session, new CommandError(message));
    return exitCode === exitCodes.success && unreadable.messages.size > 0 ? exitCodes.failure : exitCode;
  });
}

/** Reads the intent of a key that a command names. */
export async function knownIntent(publisher: Publisher, key: string, store: string): Promise<Intent> {
  const intent = await publisher.get(key).catch((error: unknown) => {
    // The command only read it, and another run reads the same.
    throw error instanceof ForeignDataError ? new CommandError(messageOf(error)) : error;
  });
  if (intent === undefined) {
    throw new CommandError(
      `There is no intent '${key}' in ${store}. Check the key, --base-url and --store. Keys of a program with the option ` +
        '`scope` of createPublisher are separate: only that program finds them, and this command would publish them again.',
    );
  }
  return intent;
}

export function intentExitCode(intent: Intent, now: number): ExitCode {
  const { state, targets } = intent;
  if (isWaiting(intent, now)) return exitCodes.success;
  switch (state) {
    case 'accepted':
    case 'published':
      return exitCodes.success;
    case 'ready':
      return exitCodes.failure;
    case 'sending':
    case 'in_doubt':
      return exitCodes.inDoubt;
    case 'partial':
      // A post with warnings is partial too.
      return targets?.every((target) => target.state === 'published') === true ? exitCodes.success : exitCodes.rejected;
    case 'failed':
    case 'rejected':
    case 'abandoned':
      return exitCodes.rejected;
  }
}

/** The worst exit code of several intents; in doubt is worse than rejected. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  const order = [exitCodes.inDoubt, exitCodes.rejected, exitCodes.failure];
  return order.find((code) => codes.includes(code)) ?? exitCodes.success;
}

/**
 * Returns what to do with an intent.
 * @param options the options that choose the store, with a space before each. The commands in the text repeat them
 * @param send how to send a ready intent: by this command, or by a sweep
 * @param now the time, in milliseconds since 1970
 */
export function nextStep(
  intent: Intent,
  options: string,
  send: 'this command' | 'sweep',
  now: number,
): string | undefined {
  const { key } = intent;
  if (hasOtherPost(intent))
    return `Its post belongs to another intent. Run: ${intentLine('resolve', key, `${options} --as abandoned`)}`;
  const settled = settlesAt(intent, now);
  if (settled === undefined) return settledStep(intent, options, send, now);
  // A sweep does not show an intent that is not due.
  return (
    `Do not publish it under another key. Wait until ${settled}, because the service may still execute it or list its ` +
    `post. Then run: social-publishing intents sweep --no-send${options}, and then: ${intentLine('show', key, options)}`
  );
}

function settledStep(intent: Intent, options: string, send: 'this command' | 'sweep', now: number): string | undefined {
  const { state, key, error, attempts, sendAt } = intent;
  switch (state) {
    case 'ready': {
      if (attempts === 0 && sendAt !== undefined)
        return (
          `A sweep sends it from ${sendAt} on. Run this regularly: social-publishing intents sweep${options}. Until ` +
          `then, to change it, use: ${intentLine('cancel', key, options)}, or intents edit.`
        );
      const fix = [401, 403].includes(error?.status ?? 0) ? 'Fix the access key. ' : '';
      const run =
        send === 'sweep'
          ? `To send all due intents, run: social-publishing intents sweep${options}`
          : 'Run the same command again.';
      if (isToSendAgain(intent))
        return `${waitOf(intent, now)}If it was in doubt, the list is searched for its post once more before it is sent. ${fix}${run}`;
      return `Nothing was sent. ${fix}${run}`;
    }
    case 'sending':
      // `show` only reads. A sweep searches for its post.
      return `The process that sends it has recorded no result. Run: social-publishing intents sweep --no-send${options}`;
    case 'in_doubt':
      return (
        'Do not publish it under another key. Check the service. If the post exists, run: ' +
        `${intentLine('resolve', key, `${options} --as published --post-id ID`)}. If it does not, use --as not_sent, and publish again.` +
        (attempts > 1
          ? ' If the service refuses it again, check the service again. Only if the post still does not exist, use --as abandoned, then another key.'
          : '')
      );
    case 'rejected':
      if (error?.outcome === 'not_sent' && sendAt !== undefined)
        return (
          `Nothing was sent. To publish it at another time, run: ${intentLine('edit', key, `${options} --scheduled-for TIME`)}. ` +
          'To publish it now, use intents resolve with --as not_sent, then intents sweep.'
        );
      return (
        'Fix the cause that the message names. If the content stays the same, run: ' +
        `${intentLine('resolve', key, `${options} --as not_sent`)}, and publish again. Other content needs another key.`
      );
    default:
      return undefined;
  }
}

function waitOf(intent: Intent, now: number): string {
  const settled = decidedSendSettlesAt(intent, now);
  if (settled === undefined) return '';
  return `If its last send was in doubt, wait until ${settled}, because the service may still execute it or list its post. `;
}

/** An intent, and what to do next if a sweep sends it. */
export function withNext(session: Session, intent: Intent): Intent & { readonly next: string | undefined } {
  return { ...intent, next: nextStep(intent, storeOptions(session), 'sweep', session.world.now()) };
}

/**
 * Notes that a known post can be another one, if the service is on this computer: an emulator that starts without its state
 * assigns the same IDs again.
 */
export function noteEmulator(session: Session, { postId, replayed }: Intent): void {
  const baseUrl = findBaseUrl(session) ?? '';
  if (postId === undefined || !replayed || !isLoopback(new URL(baseUrl).hostname)) return;
  session.output.note(
    `If this is an emulator that has started again without --state, ${postId} can be another post. Then pass a new ` +
      '--store. With the real service, a new --store publishes again.',
  );
}
