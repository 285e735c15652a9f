import type { Command } from 'commander';
import { newCommand, withConnection, withDryRun, withFormat, withStore } from './program.js';
import type { Action } from './session.js';
import { onRun, type Session } from './session.js';

const secretOption = ['--secret-file <file>', 'the signing secret; else SOCIAL_PUBLISHING_WEBHOOK_SECRET'] as const;

/** `webhooks`: signatures, samples, and deliveries to a local receiver. */
export function webhooksCommand(session: Session): Command {
  const command = newCommand(
    'webhooks',
    'Verifies and signs deliveries, and sends them to a local receiver.',
    'social-publishing webhooks listen --forward-to http://127.0.0.1:3000/webhooks',
  );
  const add = (
    inner: Command,
    load: () => Promise<(session: Session, ...rest: Parameters<Action>) => ReturnType<Action>>,
  ) => command.addCommand(onRun(inner, session, async (values, args) => (await load())(session, values, args)));
  add(verifyCommand(), async () => (await import('./run-webhooks.js')).verifyDelivery);
  add(signCommand(), async () => (await import('./run-webhooks.js')).signBody);
  add(triggerCommand(), async () => (await import('./run-webhooks.js')).triggerEvent);
  add(listenCommand(), async () => (await import('./listen.js')).listen);
  return command;
}

function verifyCommand(): Command {
  const command = newCommand(
    'verify',
    'Checks the signature of a delivery. Exits with 1 if it must not be trusted.',
    'social-publishing webhooks verify --body body.json \\\n    --signature sha256=… --timestamp 1789999999',
  )
    .requiredOption('--body <file>', 'the body exactly as received; - for stdin')
    .requiredOption('--signature <text>', 'the header X-Service-Signature')
    .requiredOption('--timestamp <seconds>', 'the header X-Service-Timestamp')
    .option('--tolerance <seconds>', 'how old the delivery may be; none for no limit; default 300')
    .option(...secretOption);
  return withFormat(command);
}

function signCommand(): Command {
  const command = newCommand(
    'sign',
    'Prints the headers of a delivery with this body, signed, as JSON.',
    'social-publishing webhooks sign --body body.json',
  )
    .requiredOption('--body <file>', 'the body exactly as it will be sent; - for stdin')
    .option('--timestamp <seconds>', 'the time of the signature, in Unix seconds; default now')
    .option(...secretOption);
  return withFormat(command);
}

function triggerCommand(): Command {
  const command = newCommand(
    'trigger',
    'Sends one signed sample event to a receiver.',
    'social-publishing webhooks trigger post.failed --to http://127.0.0.1:3000/webhooks',
  )
    .argument('<event>', 'post.scheduled, post.published, post.partial or post.failed')
    .requiredOption('--to <url>', 'the receiver')
    .option(...secretOption);
  return withFormat(withDryRun(command));
}

function listenCommand(): Command {
  const command = newCommand(
    'listen',
    'Sends events to a local receiver, signed. It needs no public address and creates no subscription. ' +
      'After a restart, it continues: no event is lost, and a repeated delivery has the same event ID.',
    'social-publishing webhooks listen --forward-to http://127.0.0.1:3000/webhooks',
  )
    .requiredOption('--forward-to <url>', 'the receiver')
    .option('--poll <seconds>', 'time between two reads of the list of posts; default 60, with an emulator 5')
    .option('--since <time>', 'also posts that became final since this time; default: now, or the last run')
    .option(...secretOption);
  return withStore(withConnection(command));
}
