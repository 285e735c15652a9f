import {
  ForeignDataError,
  type Intent,
  type IntentState,
  type Publisher,
  type Resolution,
} from '../publisher/index.js';
import { CommandError, UsageError } from './command-errors.js';
import { confirm } from './confirm.js';
import { findBaseUrl } from './connection.js';
import { exitCodes, type ExitCode } from './exit-codes.js';
import { firstItems } from './first-items.js';
import { findSoon, planPrune, planSweep } from './intent-plans.js';
import { emulatorNote, intentExitCode, nextStep, worstExitCode } from './intent-result.js';
import { withPublisher } from './open-publisher.js';
import { messageOf } from './report-error.js';
import { textOf, wholeNumberOf, type Session, type Values } from './session.js';
import { IntentLists } from './unreadable-intents.js';

const columns = ['key', 'state', 'postId', 'attempts', 'updatedAt'];

export function listIntents(session: Session, values: Values): Promise<ExitCode> {
  const limit = wholeNumberOf(values, 'limit') ?? Infinity;
  // The publisher checks the state.
  const query = { state: textOf(values, 'state') as IntentState | undefined, prefix: textOf(values, 'prefix') };
  return withPublisher(session, values, { calls: false, readsOnly: true }, async ({ publisher, store }) => {
    session.output.note(`Store: ${store}`);
    const lists = new IntentLists(publisher);
    await session.output.list(firstItems(lists.list(query), limit), columns);
    return lists.report(session, exitCodes.success);
  });
}

export function showIntent(session: Session, values: Values, [key = '']: readonly string[]): Promise<ExitCode> {
  return withPublisher(session, values, { calls: false, readsOnly: true }, async ({ publisher, store }) => {
    const intent = await known(publisher, key, store);
    session.output.result(withNext(intent, values));
    const note = emulatorNote(intent, findBaseUrl(session, values));
    if (note !== undefined) session.output.note(note);
    return exitCodes.success;
  });
}

export async function resolveIntent(
  session: Session,
  values: Values,
  [key = '']: readonly string[],
): Promise<ExitCode> {
  const as = textOf(values, 'as');
  const postId = textOf(values, 'postId');
  if (as !== 'published' && as !== 'not_sent' && as !== 'abandoned')
    throw new UsageError('--as must be published, not_sent or abandoned.');
  if ((as === 'published') !== (postId !== undefined))
    throw new UsageError('--post-id is required with --as published, and not allowed otherwise.');
  const isDryRun = values['dryRun'] === true;
  const needs = { calls: as === 'not_sent' && !isDryRun, readsOnly: true };
  return withPublisher(session, values, needs, async ({ publisher, store }) => {
    const before = await known(publisher, key, store);
    if (isDryRun) {
      session.output.result({ dryRun: true, key, state: before.state, as, ...(postId !== undefined && { postId }) });
      return exitCodes.success;
    }
    await confirm(session, values, `The intent '${key}' is ${before.state}. Your decision cannot be undone.`);
    const searched = as === 'not_sent' ? await searchAgain(publisher, before) : before;
    // An ID that an operator passed can be corrected.
    if (as === 'not_sent' && before.postId === undefined && searched.postId !== undefined) {
      session.output.note('The post was found, so your decision is not needed.');
      session.output.result(withNext(searched, values));
      return exitCodes.success;
    }
    const resolution: Resolution = as === 'published' ? { as, postId: postId ?? '' } : { as };
    const intent = await publisher.resolve(key, resolution);
    session.output.result(withNext(intent, values));
    return exitCodes.success;
  });
}

const runLater = 'Wait a minute, then run the command again.';

/** The decision can be older than the last send: the post may be listed by now. */
async function searchAgain(publisher: Publisher, intent: Intent): Promise<Intent> {
  if (intent.state !== 'in_doubt' && intent.state !== 'sending') return intent;
  const searched = await publisher.resume(intent.key);
  if (searched.state === 'sending')
    throw new CommandError('Its request may still be on its way. Nothing was decided.', exitCodes.inDoubt, runLater);
  if (searched.lookup?.result === 'failed')
    throw new CommandError(
      `The search for its post failed (${searched.lookup.error?.message ?? 'no reason'}). Nothing was decided.`,
      exitCodes.inDoubt,
      'Run the command again.',
    );
  return searched;
}

export function sweepIntents(session: Session, values: Values): Promise<ExitCode> {
  const limit = wholeNumberOf(values, 'limit');
  const isDryRun = values['dryRun'] === true;
  return withPublisher(session, values, { calls: !isDryRun, readsOnly: isDryRun }, async ({ publisher, store }) => {
    session.output.note(`Store: ${store}`);
    const lists = new IntentLists(publisher);
    if (isDryRun) {
      await session.output.list(await planSweep(lists), ['key', 'state', 'action']);
      return lists.report(session, exitCodes.success);
    }
    const soon = await findSoon(lists, session.world.now());
    if (soon !== undefined)
      await confirm(session, values, `At least one ready post goes out within 5 minutes: '${soon}'.`);
    const intents = await publisher.sweep({ limit });
    await session.output.list(
      intents.map((intent) => withNext(intent, values)),
      columns,
    );
    return lists.report(session, worstExitCode(intents.map(intentExitCode)));
  });
}

export async function pruneIntents(session: Session, values: Values): Promise<ExitCode> {
  const text = textOf(values, 'olderThan') ?? '';
  const olderThan = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(olderThan))
    throw new UsageError('--older-than must be a time with its offset, for example 2027-01-01T00:00:00Z.');
  return withPublisher(session, values, { calls: false, readsOnly: true }, async ({ publisher, store }) => {
    if (values['dryRun'] === true) {
      const lists = new IntentLists(publisher);
      session.output.result({ dryRun: true, keys: await planPrune(lists, olderThan), store });
      return lists.report(session, exitCodes.success);
    }
    const removed = await publisher.prune({ olderThan: text });
    session.output.result({ removed, store });
    return exitCodes.success;
  });
}

async function known(publisher: Publisher, key: string, store: string): Promise<Intent> {
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

function withNext(intent: Intent, values: Values): Intent & { readonly next?: string } {
  const next = nextStep(intent, values, 'sweep');
  return next === undefined ? intent : { ...intent, next };
}
