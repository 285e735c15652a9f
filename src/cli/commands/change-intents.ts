/** The commands that change an intent: `intents cancel` and `edit` before it is sent, and `intents resolve`. */
import type { Command } from 'commander';
import type { CreatePostBody } from '../../index.js';
import type { Intent, Publisher, Resolution } from '../../publisher/index.js';
import { defaultSettleMs, evidenceText, searchAgain, settlesAt } from '../../publisher/search-again.js';
import { endpoints } from '../../resources/endpoints.js';
import { connect } from '../connection.js';
import { CommandError, UsageError, exitCodes, type ExitCode } from '../errors.js';
import { addFields, fieldOptions } from '../fields.js';
import { goesOutSoon, requestOf } from '../../posts/read-create.js';
import { confirm, confirmOnTerminal, readBody } from '../input.js';
import { intentLine, newCommand, storeOptions, withOptions } from '../options.js';
import { counted } from '../output.js';
import { intentExitCode, knownIntent, onIntents, withNext, worstExitCode } from '../publisher.js';
import type { Session } from '../session.js';

const postFields = fieldOptions(endpoints.posts.create);

export function cancelCommand(): Command {
  const command = newCommand(
    'cancel',
    'Abandons an intent that was not sent. It is never sent then.',
    'social-publishing intents cancel spring/teaser',
  ).argument('<key>');
  return withOptions(command.option('--dry-run', 'print the intent, and change nothing'), 'confirmation');
}

export function editCommand(): Command {
  const command = newCommand(
    'edit',
    'Changes an intent that was not sent. Fields that you omit stay as they are.',
    "social-publishing intents edit spring/teaser --content 'Hello again'",
  ).argument('<key>');
  addFields(command, postFields, 'JSON with all fields of the new body');
  withOptions(command, 'sendAhead').option('--dry-run', 'print the new body, and change nothing');
  return withOptions(command, 'confirmation');
}

export function resolveCommand(): Command {
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
    .option('--sent-before <time>', 'with --all: only sends before this time; default 10 minutes ago');
  return withOptions(command.option('--dry-run', 'print the decision, and record nothing'), 'confirmation');
}

export function cancelIntent(session: Session, [key = '']: readonly string[]): Promise<ExitCode> {
  return onIntents(session, {}, async ({ publisher, store }) => {
    const { state } = await knownIntent(publisher, key, store);
    if (session.isSet('dryRun')) {
      session.output.result({ dryRun: true, key, state });
      return exitCodes.success;
    }
    await confirmOnTerminal(session, `The intent '${key}' is ${state}. To cancel it cannot be undone.`);
    session.output.result(withNext(session, await publisher.cancel(key)));
    return exitCodes.success;
  });
}

export function editIntent(session: Session, [key = '']: readonly string[]): Promise<ExitCode> {
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
    const intent = await publisher.edit(key, body, { extraBody, sendAheadMs: session.sendAheadMs() });
    session.output.result(withNext(session, intent));
    return exitCodes.success;
  });
}

/** A post has one mode, so a passed mode replaces the old one. */
function merged(body: CreatePostBody, passed: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { saveAsDraft, publishNow, scheduledFor, ...rest } = body;
  const modes = { saveAsDraft, publishNow, scheduledFor };
  const hasMode = Object.keys(modes).some((mode) => passed[mode] !== undefined);
  return { ...rest, ...(hasMode ? {} : modes), ...passed };
}

export async function resolveIntent(session: Session, [key]: readonly string[]): Promise<ExitCode> {
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
      session.output.result(withNext(session, searched));
      return exitCodes.success;
    }
    const resolution: Resolution = as === 'published' ? { as, postId: postId ?? '' } : { as };
    const intent = await publisher.resolve(key, resolution);
    session.output.result(withNext(session, intent));
    return exitCodes.success;
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

const columns = ['key', 'state', 'decided', 'postId', 'reason'];

type Decision = Parameters<Publisher['resolveAll']>[1]['as'];
type SearchFilter = 'no_match' | 'failed';

/** Decides the intents in doubt for which a new search finds no post. */
async function resolveAllIntents(session: Session): Promise<ExitCode> {
  const as = session.text('as');
  const result = session.text('result') ?? 'no_match';
  if (as !== 'not_sent' && as !== 'abandoned') throw new UsageError('--as must be not_sent or abandoned with --all.');
  if (result !== 'no_match' && result !== 'failed')
    throw new UsageError('--result must be no_match or failed. Decide intents with candidates one by one.');
  const sentBefore = session.time('sentBefore') ?? session.world.now() - defaultSettleMs;
  const prefix = session.text('prefix');
  const isDryRun = session.isSet('dryRun');
  const client = isDryRun ? undefined : await connect(session);
  return onIntents(session, { client }, async ({ publisher, unreadable }) => {
    const all: Intent[] = [];
    for await (const intent of unreadable.readable(publisher.list({ state: 'in_doubt', prefix }))) all.push(intent);
    const skipped = new Map(all.map((intent) => [intent.key, skipReason(intent, { result, sentBefore })]));
    const wanted = all.filter(({ key }) => skipped.get(key) === undefined);
    if (isDryRun) {
      const rows = wanted.map(({ key, state, sentAt, lookup }) => ({ key, state, sentAt, lookup: lookup?.result, as }));
      await session.output.list(rows);
      for (const [key, reason] of skipped) if (reason !== undefined) session.output.note(`${key}: ${reason}`);
      return exitCodes.success;
    }
    if (wanted.length > 0)
      await confirm(session, `${question(wanted.length, as, result)} Your decision cannot be undone.`);
    const query = { result, prefix, sentBefore: new Date(sentBefore) } as const;
    const kept: Intent[] = [];
    const rows = rowsOf(publisher.resolveAll(query, { as }), kept, { publisher, all, skipped });
    await session.output.list(rows, { columns });
    return worstExitCode(kept.map((intent) => intentExitCode(intent, session.world.now())));
  });
}

/** Returns why the command does not search for an intent. `undefined`: it does. */
function skipReason(
  { sentAt, createdAt, lookup }: Intent,
  { result, sentBefore }: { readonly result: SearchFilter; readonly sentBefore: number },
): string | undefined {
  const time = Date.parse(sentAt ?? createdAt);
  if (time >= sentBefore) {
    const after = new Date(time + defaultSettleMs).toISOString();
    return `it is too recent: its post may still appear. Run the command again after ${after}, without --sent-before or with a later time`;
  }
  return result === 'failed' && lookup?.result !== 'failed' ? 'its last search did not fail: see --result' : undefined;
}

function question(count: number, as: Decision, result: SearchFilter): string {
  const which =
    result === 'failed'
      ? 'each one without a post or a candidate, also if the search fails'
      : 'each one without a match';
  return `This searches for the posts of ${counted(count, 'intent')}, and records ${as} for ${which}.`;
}

/** Yields each decided intent, then the others with the reason. */
async function* rowsOf(
  decided: AsyncIterable<Intent>,
  kept: Intent[],
  {
    publisher,
    all,
    skipped,
  }: { publisher: Publisher; all: readonly Intent[]; skipped: ReadonlyMap<string, string | undefined> },
): AsyncGenerator<object, void, undefined> {
  const keys = new Set<string>();
  for await (const intent of decided) {
    keys.add(intent.key);
    yield { ...intent, decided: true };
  }
  for (const before of all) {
    const intent = keys.has(before.key) ? undefined : await publisher.get(before.key);
    if (intent === undefined) continue;
    kept.push(intent);
    yield { ...intent, decided: false, reason: reasonOf(intent, skipped.get(before.key)) };
  }
}

function reasonOf({ state, lookup, error }: Intent, skipped: string | undefined): string {
  if (state !== 'in_doubt') return state === 'accepted' ? 'its post was found' : `it is ${state} now`;
  if (skipped !== undefined) return skipped;
  if (lookup?.result === 'candidates') return `it has candidates: ${lookup.postIds?.join(', ') ?? ''}`;
  return lookup?.result === 'failed'
    ? `the search failed: ${lookup.error?.message ?? 'no reason'}`
    : (error?.message ?? '');
}
