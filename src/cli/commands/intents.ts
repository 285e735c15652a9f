/** The command `intents`: shows and changes the posts in the store that were published under a key. */
import type { Command } from 'commander';
import type { CreatePostBody } from '../../index.js';
import { goesOutSoon, requestOf } from '../../posts/read-create.js';
import type { Intent, IntentState, Publisher, Resolution } from '../../publisher/index.js';
import type { PlannedIntent } from '../../publisher/intents/intent.js';
import { defaultSettleMs, evidenceText, searchAgain, settlesAt } from '../../publisher/search-again.js';
import { endpoints } from '../../resources/endpoints.js';
import { intentLine, newCommand, onRun, storeOptions, type Session } from '../command.js';
import { connect } from '../connection.js';
import { CommandError, UsageError, exitCodes, interruptedCode, type ExitCode } from '../errors.js';
import { addFields, fieldOptions } from '../fields.js';
import { confirm, confirmOnTerminal, readBody } from '../input.js';
import { counted } from '../output.js';
import {
  intentExitCode,
  knownIntent,
  noteEmulator,
  onIntents,
  outageNote,
  stopped,
  withNext,
  worstExitCode,
  type OpenIntents,
} from '../publisher.js';

const common = ['format', 'service', 'store'] as const;
const postFields = fieldOptions(endpoints.posts.create);

export function intentsCommand(session: Session): Command {
  return newCommand(
    'intents',
    'Shows and decides what was published under a key.',
    'social-publishing intents list --state in_doubt',
  )
    .addCommand(listCommand(session))
    .addCommand(statsCommand(session))
    .addCommand(showCommand(session))
    .addCommand(cancelCommand(session))
    .addCommand(editCommand(session))
    .addCommand(resolveCommand(session))
    .addCommand(sweepCommand(session))
    .addCommand(pruneCommand(session));
}

function listCommand(session: Session): Command {
  const states = 'ready, sending, accepted, published, partial, failed, rejected, in_doubt, abandoned';
  const command = newCommand(
    'list',
    'Lists intents.',
    'social-publishing intents list --state in_doubt --prefix spring/',
  )
    .option('--state <state>', states)
    .option('--prefix <text>', 'only keys that start with this text')
    .option('--overdue', 'only intents that are still open 15 minutes after their time')
    .option('--limit <n>', 'at most this number of intents');
  return onRun(command, session, listIntents, ...common);
}

function statsCommand(session: Session): Command {
  const command = newCommand(
    'stats',
    'Counts open intents, for cron and monitoring. Exits with 4 if intents are in doubt, else with 3 if\nintents are overdue, else with 0.',
    'social-publishing intents stats --json',
  );
  return onRun(command, session, showStats, ...common);
}

function showCommand(session: Session): Command {
  const example = 'social-publishing intents show spring/teaser';
  const command = newCommand('show', 'Shows one intent, and what to do next.', example).argument('<key>');
  return onRun(command, session, showIntent, ...common);
}

function cancelCommand(session: Session): Command {
  const command = newCommand(
    'cancel',
    'Abandons an intent that was not sent. It is never sent then.',
    'social-publishing intents cancel spring/teaser',
  )
    .argument('<key>')
    .option('--dry-run', 'print the intent, and change nothing');
  return onRun(command, session, cancelIntent, 'confirmation', ...common);
}

function editCommand(session: Session): Command {
  const command = newCommand(
    'edit',
    'Changes an intent that was not sent. Fields that you omit stay as they are.',
    "social-publishing intents edit spring/teaser --content 'Hello again'",
  ).argument('<key>');
  addFields(command, postFields, 'JSON with all fields of the new body');
  command.option('--dry-run', 'print the new body, and change nothing');
  return onRun(command, session, editIntent, 'sendAhead', 'confirmation', ...common);
}

function resolveCommand(session: Session): Command {
  const command = newCommand(
    'resolve',
    'Records your decision about an intent. With not_sent, it first searches for the post once more.',
    'social-publishing intents resolve spring/teaser --as published --post-id post_1',
  )
    .argument('[key]')
    .requiredOption('--as <decision>', 'published, not_sent or abandoned')
    .option('--post-id <id>', 'the ID of its post, with --as published')
    .option('--all', 'all intents in doubt without a post or a candidate, for example after an outage')
    .option('--result <result>', 'with --all: no_match (default), or failed: also if the search fails again')
    .option('--prefix <text>', 'with --all: only keys that start with this text')
    .option('--sent-before <time>', 'with --all: only sends before this time; default 10 minutes ago')
    .option('--dry-run', 'print the decision, and record nothing');
  return onRun(command, session, resolveIntent, 'confirmation', ...common);
}

function sweepCommand(session: Session): Command {
  const command = newCommand(
    'sweep',
    'Continues due intents: sends ready intents, and searches for the posts of the others.',
    'social-publishing intents sweep --limit 50',
  )
    .option('--limit <n>', 'at most this number of intents; default 100')
    .option('--no-send', 'only search for posts and read results: sends are paused')
    .option('--dry-run', 'print the action for each open intent, and send nothing');
  return onRun(command, session, sweepIntents, 'confirmation', ...common);
}

function pruneCommand(session: Session): Command {
  const command = newCommand(
    'prune',
    'Removes old final intents. A removed key is new again.',
    'social-publishing intents prune --older-than 2027-01-01T00:00:00Z',
  )
    .requiredOption('--older-than <time>', 'only intents that last changed before this time')
    .option('--dry-run', 'print the keys, and remove nothing');
  return onRun(command, session, pruneIntents, ...common);
}

/** Prints an intent that exists, and what to do next. */
function printIntent(session: Session, intent: Intent): ExitCode {
  session.output.result(withNext(session, intent));
  return exitCodes.success;
}

const columns = ['key', 'state', 'postId', 'sendAt', 'attempts', 'updatedAt'];

function listIntents(session: Session): Promise<ExitCode> {
  const limit = session.wholeNumber('limit');
  // The publisher checks the state.
  const query = {
    state: session.text('state') as IntentState | undefined,
    prefix: session.text('prefix'),
    overdue: session.isSet('overdue'),
  };
  return onIntents(session, {}, async ({ publisher, store, unreadable }) => {
    session.output.note(`Store: ${store}`);
    await session.output.list(unreadable.readable(publisher.list(query)), { columns, limit });
    return exitCodes.success;
  });
}

function showStats(session: Session): Promise<ExitCode> {
  return onIntents(session, {}, async ({ publisher, store, unreadable }) => {
    const stats = await unreadable.stats(publisher);
    session.output.result({ ...stats, store });
    const late = stats.overdue > 0 ? exitCodes.rejected : exitCodes.success;
    return stats.byState.in_doubt > 0 ? exitCodes.inDoubt : late;
  });
}

function showIntent(session: Session, [key = '']: readonly string[]): Promise<ExitCode> {
  return onIntents(session, {}, async ({ publisher, store }) => {
    const intent = await knownIntent(publisher, key, store);
    noteEmulator(session, intent);
    return printIntent(session, intent);
  });
}

async function sweepIntents(session: Session): Promise<ExitCode> {
  const limit = session.wholeNumber('limit');
  const isDryRun = session.isSet('dryRun');
  const send = session.value('send') !== false;
  const client = isDryRun ? undefined : await connect(session);
  return onIntents(session, { client }, async ({ publisher, store, unreadable }) => {
    session.output.note(`Store: ${store}`);
    const plan = unreadable.readable(publisher.planSweep());
    if (isDryRun) {
      await session.output.list(plannedActions(plan, send), { columns: ['key', 'state', 'action', 'sendAt'] });
      return exitCodes.success;
    }
    const soon = send ? await findSoon(plan, session.world.now()) : undefined;
    if (soon !== undefined)
      await confirmOnTerminal(session, `At least one ready post goes out within 5 minutes: '${soon}'.`);
    const { signal } = session.world;
    const intents = await publisher
      .sweep({ limit, send, signal, onProgress: outageNote(session) })
      .catch((error: unknown) => {
        // The abort ends the wait with the reason of the signal.
        if (!signal.aborted || error !== signal.reason) throw error;
      });
    if (intents === undefined) {
      session.output.note(stopped);
      return interruptedCode(signal);
    }
    await session.output.list(
      intents.map((intent) => withNext(session, intent)),
      { columns },
    );
    return worstExitCode(intents.map((intent) => intentExitCode(intent, session.world.now())));
  });
}

async function pruneIntents(session: Session): Promise<ExitCode> {
  const olderThan = session.time('olderThan') ?? -Infinity;
  return onIntents(session, {}, async ({ publisher, store, unreadable }) => {
    if (session.isSet('dryRun')) {
      const keys: string[] = [];
      for await (const { key } of unreadable.readable(publisher.planPrune(olderThan))) keys.push(key);
      session.output.result({ dryRun: true, keys, store });
      return exitCodes.success;
    }
    const removed = await publisher.prune({ olderThan: new Date(olderThan) });
    session.output.result({ removed, store });
    return exitCodes.success;
  });
}

function actionText({ action, intent: { state } }: PlannedIntent): string | undefined {
  switch (action) {
    case 'send':
      return 'send';
    case 'expire':
      return 'record that it is too late';
    case 'search':
      if (state === 'ready') return 'search for its post, then send';
      return state === 'accepted' ? 'read its post' : 'search for its post';
    case 'nothing':
      return undefined;
  }
}

/** Yields the action of a sweep for each open intent. A sweep skips intents that are not due yet. */
async function* plannedActions(plan: AsyncIterable<PlannedIntent>, send: boolean): AsyncGenerator<object, void> {
  for await (const planned of plan) {
    const { key, state, sendAt } = planned.intent;
    const text = actionText(planned);
    if (text !== undefined && (send || state !== 'ready')) yield { key, state, action: text, sendAt };
  }
}

/** Returns the key of a ready intent that a sweep would send now, within 5 minutes of its time. Reads the plan to its end. */
async function findSoon(plan: AsyncIterable<PlannedIntent>, now: number): Promise<string | undefined> {
  let soon: string | undefined;
  for await (const { intent, action, isDue } of plan) {
    const maySend = intent.state === 'ready' && action !== 'expire' && isDue;
    if (maySend && goesOutSoon(requestOf(intent), now)) soon ??= intent.key;
  }
  return soon;
}

function cancelIntent(session: Session, [key = '']: readonly string[]): Promise<ExitCode> {
  return onIntents(session, {}, async ({ publisher, store }) => {
    const { state } = await knownIntent(publisher, key, store);
    if (session.isSet('dryRun')) {
      session.output.result({ dryRun: true, key, state });
      return exitCodes.success;
    }
    await confirmOnTerminal(session, `The intent '${key}' is ${state}. To cancel it cannot be undone.`);
    return printIntent(session, await publisher.cancel(key));
  });
}

function editIntent(session: Session, [key = '']: readonly string[]): Promise<ExitCode> {
  return onIntents(session, {}, async ({ publisher, store }) => {
    const known = await knownIntent(publisher, key, store);
    const passed = await readBody(session, postFields);
    const extraBody = passed.extraBody ?? known.extraBody;
    const fields = session.text('body') === undefined ? merged(known.body, passed.fields) : passed.fields;
    if (session.isSet('dryRun')) {
      session.output.result({ dryRun: true, key, state: known.state, body: fields, extraBody });
      return exitCodes.success;
    }
    if (goesOutSoon(requestOf({ body: fields, extraBody }), session.world.now()))
      await confirmOnTerminal(session, 'With this content, the post goes out within 5 minutes, once a sweep sends it.');
    // The publisher checks it.
    const body = fields as unknown as CreatePostBody;
    return printIntent(session, await publisher.edit(key, body, { extraBody, sendAheadMs: session.sendAheadMs() }));
  });
}

/** A post has one mode, so a passed mode replaces the old one. */
function merged(body: CreatePostBody, passed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { saveAsDraft, publishNow, scheduledFor, ...rest } = body;
  const modes = { saveAsDraft, publishNow, scheduledFor };
  const hasMode = Object.keys(modes).some((mode) => passed[mode] !== undefined);
  return { ...rest, ...(hasMode ? {} : modes), ...passed };
}

async function resolveIntent(session: Session, [key]: readonly string[]): Promise<ExitCode> {
  if (session.isSet('all') === (key !== undefined)) throw new UsageError('Pass the key of an intent, or --all.');
  if (key === undefined) return resolveAllIntents(session);
  const alone = ['result', 'prefix', 'sentBefore'].find((name) => session.value(name) !== undefined);
  if (alone !== undefined) throw new UsageError('--result, --prefix and --sent-before are only allowed with --all.');
  return resolveOne(session, key);
}

async function resolveOne(session: Session, key: string): Promise<ExitCode> {
  const as = session.text('as');
  const postId = session.text('postId');
  if (as !== 'published' && as !== 'not_sent' && as !== 'abandoned')
    throw new UsageError('--as must be published, not_sent or abandoned.');
  if ((as === 'published') !== (postId !== undefined))
    throw new UsageError('--post-id is required with --as published, and not allowed otherwise.');
  const isDryRun = session.isSet('dryRun');
  const ifStoreFails = `Before you decide again, run: ${intentLine('show', key, storeOptions(session))}`;
  const client = as === 'not_sent' && !isDryRun ? await connect(session) : undefined;
  return onIntents(session, { client, ifStoreFails }, async ({ publisher, store }) => {
    const before = await knownIntent(publisher, key, store);
    if (isDryRun) {
      session.output.result({ dryRun: true, key, state: before.state, as, postId });
      return exitCodes.success;
    }
    await confirm(
      session,
      `The intent '${key}' is ${before.state} (${evidenceText(before, session.world.now())}). Your decision cannot be undone.`,
    );
    const searched = as === 'not_sent' ? await searchedAgain(session, publisher, before) : before;
    // An ID that an operator passed can be corrected.
    if (before.postId === undefined && searched.postId !== undefined) {
      session.output.note('The post was found, so your decision is not needed.');
      return printIntent(session, searched);
    }
    const resolution: Resolution = as === 'published' ? { as, postId: postId ?? '' } : { as };
    return printIntent(session, await publisher.resolve(key, resolution));
  });
}

async function searchedAgain(session: Session, publisher: Publisher, shown: Intent): Promise<Intent> {
  const { intent, undecided } = await searchAgain(publisher, shown);
  if (undecided === undefined) return intent;
  const settled = settlesAt(intent, session.world.now());
  const wait = settled === undefined ? '' : `Wait until ${settled}. `;
  const resolve = intentLine('resolve', shown.key, `${storeOptions(session)} --as published --post-id ID`);
  const next = {
    sent_again: `${wait}Check the service again, then run the command again.`,
    sending: `${wait}Check the service, then run the command again.`,
    failed: `${wait}Run the command again.`,
    new_posts: `If it is this post, run: ${resolve}. If it is another one, run the command again.`,
  }[undecided.because];
  throw new CommandError(undecided.message, exitCodes.inDoubt, next);
}

interface AllDecision {
  readonly as: 'not_sent' | 'abandoned';
  readonly result: 'no_match' | 'failed';
  readonly sentBefore: number;
  readonly prefix: string | undefined;
}

/** Decides the intents in doubt for which a new search finds no post. */
async function resolveAllIntents(session: Session): Promise<ExitCode> {
  const as = session.text('as');
  const result = session.text('result') ?? 'no_match';
  if (as !== 'not_sent' && as !== 'abandoned') throw new UsageError('--as must be not_sent or abandoned with --all.');
  if (result !== 'no_match' && result !== 'failed')
    throw new UsageError('--result must be no_match or failed. Decide intents with candidates one by one.');
  const sentBefore = session.time('sentBefore') ?? session.world.now() - defaultSettleMs;
  const decision: AllDecision = { as, result, sentBefore, prefix: session.text('prefix') };
  const client = session.isSet('dryRun') ? undefined : await connect(session);
  return onIntents(session, { client }, (opened) => decideAll(session, opened, decision));
}

async function decideAll(
  session: Session,
  { publisher, unreadable }: OpenIntents,
  decision: AllDecision,
): Promise<ExitCode> {
  const { as, result, prefix, sentBefore } = decision;
  const all: Intent[] = [];
  for await (const intent of unreadable.readable(publisher.list({ state: 'in_doubt', prefix }))) all.push(intent);
  const skipped = new Map(all.map((intent) => [intent.key, skipReason(intent, decision)]));
  const wanted = all.filter(({ key }) => skipped.get(key) === undefined);
  if (session.isSet('dryRun')) {
    const rows = wanted.map(({ key, state, sentAt, lookup }) => ({ key, state, sentAt, lookup: lookup?.result, as }));
    await session.output.list(rows);
    for (const [key, reason] of skipped) if (reason !== undefined) session.output.note(`${key}: ${reason}`);
    return exitCodes.success;
  }
  if (wanted.length > 0) await confirm(session, `${question(wanted.length, decision)} Your decision cannot be undone.`);
  const query = { result, prefix, sentBefore: new Date(sentBefore) };
  const decided = new Set<string>();
  const kept: Intent[] = [];
  async function* rows(): AsyncGenerator<object, void, undefined> {
    for await (const intent of publisher.resolveAll(query, { as })) {
      decided.add(intent.key);
      yield { ...intent, decided: true };
    }
    for (const { key } of all) {
      const intent = decided.has(key) ? undefined : await publisher.get(key);
      if (intent === undefined) continue;
      kept.push(intent);
      yield { ...intent, decided: false, reason: reasonOf(intent, skipped.get(key)) };
    }
  }
  await session.output.list(rows(), { columns: ['key', 'state', 'decided', 'postId', 'reason'] });
  return worstExitCode(kept.map((intent) => intentExitCode(intent, session.world.now())));
}

/** Returns why the command does not search for an intent. `undefined`: it does. */
function skipReason({ sentAt, createdAt, lookup }: Intent, { result, sentBefore }: AllDecision): string | undefined {
  const time = Date.parse(sentAt ?? createdAt);
  if (time >= sentBefore) {
    const after = new Date(time + defaultSettleMs).toISOString();
    return `it is too recent: its post may still appear. Run the command again after ${after}, without --sent-before or with a later time`;
  }
  return result === 'failed' && lookup?.result !== 'failed' ? 'its last search did not fail: see --result' : undefined;
}

function question(count: number, { as, result }: AllDecision): string {
  const which =
    result === 'failed'
      ? 'each one without a post or a candidate, also if the search fails'
      : 'each one without a match';
  return `This searches for the posts of ${counted(count, 'intent')}, and records ${as} for ${which}.`;
}

function reasonOf({ state, lookup, error }: Intent, skipped: string | undefined): string {
  if (state !== 'in_doubt') return state === 'accepted' ? 'its post was found' : `it is ${state} now`;
  if (skipped !== undefined) return skipped;
  if (lookup?.result === 'candidates') return `it has candidates: ${lookup.postIds?.join(', ') ?? ''}`;
  return lookup?.result === 'failed'
    ? `the search failed: ${lookup.error?.message ?? 'no reason'}`
    : (error?.message ?? '');
}
