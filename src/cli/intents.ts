import type { Command } from 'commander';
import { newCommand, withConfirmation, withConnection, withStore } from './program.js';
import type * as actions from './run-intents.js';
import { onRun, type Session } from './session.js';

const commands: readonly { readonly run: keyof typeof actions; readonly make: () => Command }[] = [
  { run: 'listIntents', make: listCommand },
  { run: 'showIntent', make: showCommand },
  { run: 'resolveIntent', make: resolveCommand },
  { run: 'sweepIntents', make: sweepCommand },
  { run: 'pruneIntents', make: pruneCommand },
];

/** Creates the command `intents`: shows the posts in the store that were published under a key. */
export function intentsCommand(session: Session): Command {
  const command = newCommand(
    'intents',
    'Shows and decides what was published under a key.',
    'social-publishing intents list --state in_doubt',
  );
  for (const { run, make } of commands) {
    command.addCommand(
      onRun(withStore(withConnection(make())), session, async (values, args) => {
        // Loads the publisher only if the command runs, so that help starts fast.
        const loaded = await import('./run-intents.js');
        return loaded[run](session, values, args);
      }),
    );
  }
  return command;
}

function listCommand(): Command {
  const states = 'ready, sending, accepted, published, partial, failed, rejected, in_doubt, abandoned';
  return newCommand('list', 'Lists intents.', 'social-publishing intents list --state in_doubt --prefix spring/')
    .option('--state <state>', states)
    .option('--prefix <text>', 'only keys that start with this text')
    .option('--limit <n>', 'at most this number of intents');
}

function showCommand(): Command {
  const example = 'social-publishing intents show spring/teaser';
  return newCommand('show', 'Shows one intent, and what to do next.', example).argument('<key>');
}

function resolveCommand(): Command {
  const command = newCommand(
    'resolve',
    'Records your decision about an intent. With not_sent, it first searches for the post once more.',
    'social-publishing intents resolve spring/teaser --as published --post-id post_1',
  )
    .argument('<key>')
    .requiredOption('--as <decision>', 'published, not_sent or abandoned')
    .option('--post-id <id>', 'the ID of its post, with --as published');
  return withConfirmation(command.option('--dry-run', 'print the decision, and record nothing'));
}

function sweepCommand(): Command {
  const command = newCommand(
    'sweep',
    'Continues due intents: sends ready intents, and searches for the posts of the others.',
    'social-publishing intents sweep --limit 50',
  )
    .option('--limit <n>', 'at most this number of intents; default 100')
    .option('--dry-run', 'print the action for each open intent, and send nothing');
  return withConfirmation(command);
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
