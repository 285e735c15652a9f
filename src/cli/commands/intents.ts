import type { Command } from 'commander';
import { newCommand, withOptions } from '../options.js';
import { onRun, type Action, type Session } from '../session.js';
import type { IntentState } from '../../publisher/index.js';
import { exitCodes, interruptedCode, type ExitCode } from '../errors.js';
import { connect } from '../connection.js';
import { goesOutSoon, requestOf } from '../../posts/read-create.js';
import { confirmOnTerminal } from '../input.js';
import {
  intentExitCode,
  knownIntent,
  noteEmulator,
  onIntents,
  outageNote,
  stopped,
  withNext,
  worstExitCode,
} from '../publisher.js';
import {
  cancelCommand,
  cancelIntent,
  editCommand,
  editIntent,
  resolveCommand,
  resolveIntent,
} from './change-intents.js';
import type { PlannedIntent } from '../../publisher/intents/intent.js';

/** Creates the command `intents`: shows the posts in the store that were published under a key. */
export function intentsCommand(session: Session): Command {
  const command = newCommand(
    'intents',
    'Shows and decides what was published under a key.',
    'social-publishing intents list --state in_doubt',
  );
  const add = (inner: Command, run: Action) =>
    command.addCommand(onRun(withOptions(inner, 'format', 'service', 'store'), session, run));
  add(listCommand(), listIntents);
  add(statsCommand(), showStats);
  add(showCommand(), showIntent);
  add(cancelCommand(), cancelIntent);
  add(editCommand(), editIntent);
  add(resolveCommand(), resolveIntent);
  add(sweepCommand(), sweepIntents);
  add(pruneCommand(), pruneIntents);
  return command;
}

function listCommand(): Command {
  const states = 'ready, sending, accepted, published, partial, failed, rejected, in_doubt, abandoned';
  return newCommand('list', 'Lists intents.', 'social-publishing intents list --state in_doubt --prefix spring/')
    .option('--state <state>', states)
    .option('--prefix <text>', 'only keys that start with this text')
    .option('--overdue', 'only intents that are still open 15 minutes after their time')
    .option('--limit <n>', 'at most this number of intents');
}

function statsCommand(): Command {
  return newCommand(
    'stats',
    'Counts open intents, for cron and monitoring. Exits with 4 if intents are in doubt, else with 3 if\nintents are overdue, else with 0.',
    'social-publishing intents stats --json',
  );
}

function showCommand(): Command {
  const example = 'social-publishing intents show spring/teaser';
  return newCommand('show', 'Shows one intent, and what to do next.', example).argument('<key>');
}

function sweepCommand(): Command {
  const command = newCommand(
    'sweep',
    'Continues due intents: sends ready intents, and searches for the posts of the others.',
    'social-publishing intents sweep --limit 50',
  )
    .option('--limit <n>', 'at most this number of intents; default 100')
    .option('--no-send', 'only search for posts and read results: sends are paused')
    .option('--dry-run', 'print the action for each open intent, and send nothing');
  return withOptions(command, 'confirmation');
}

function pruneCommand(): Command {
  return newCommand(
    'prune',
    'Removes old final intents. A removed key is new again.',
    'social-publishing intents prune --older-than 2027-01-01T00:00:00Z',
  )
    .requiredOption('--older-than <time>', 'only intents that last changed before this time')
    .option('--dry-run', 'print the keys, and remove nothing');
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
    session.output.result(withNext(session, intent));
    noteEmulator(session, intent);
    return exitCodes.success;
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
