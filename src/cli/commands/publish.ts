import type { Command } from 'commander';
import { endpoints } from '../../resources/endpoints.js';
import { addFields, fieldOptions, type FieldOption } from '../fields.js';
import { newCommand, onRun, type Session, storeOptions } from '../command.js';
import type { CreatePostBody } from '../../index.js';
import { goesOutSoon, requestOf } from '../../posts/read-create.js';
import { confirm, readBody } from '../input.js';
import { connect, preparePost } from '../connection.js';
import { CommandError, interruptedCode, type ExitCode } from '../errors.js';
import {
  dryFindings,
  findingsExitCode,
  findingText,
  intentExitCode,
  nextStep,
  noteEmulator,
  withPublisher,
} from '../publisher.js';
import { findStore } from '../store.js';

export function publishCommand(session: Session): Command {
  const fields = fieldOptions(endpoints.posts.create);
  const command = newCommand(
    'publish',
    'Publishes a post once per key, even after a crash. After exit 1 or 4, the same command is safe: after 4, it only ' +
      'searches. Never use another key. After 2, 3 or 5, fix the cause first.',
    "social-publishing publish --key spring/teaser --content 'Hello' \\\n  --target bluesky:integration_7 --scheduled-for 2027-03-01T09:00:00Z",
  ).requiredOption('--key <key>', 'the same key again never publishes twice');
  addFields(command, fields, 'JSON with the fields');
  const run = () => runPublish(session, fields);
  return onRun(command, session, run, 'sendAhead', 'checkedDryRun', 'confirmation', 'format', 'service', 'store');
}

/** Publishes one post under its key. */
async function runPublish(session: Session, fields: readonly FieldOption[]): Promise<ExitCode> {
  const { output, world } = session;
  const key = session.text('key') ?? '';
  const { fields: request, extraBody } = await readBody(session, fields);
  // The client checks it before anything is sent.
  const body = request as unknown as CreatePostBody;
  const client = await connect(session);
  const prepared = await preparePost(client, body, extraBody);
  if (session.isSet('dryRun')) {
    const { name, warnings } = findStore(session);
    const [findings] = await dryFindings(session, client, [{ key, body, extraBody }]);
    const request = { dryRun: true, key, ...prepared, store: name, warnings };
    output.result({ ...request, findings }, { ...request, findings: findings?.map(findingText) });
    return findingsExitCode(findings ?? []);
  }
  return withPublisher(session, { client }, async ({ publisher, store, warnings }) => {
    const known = await publisher.get(key);
    const maySend = known === undefined || known.state === 'ready';
    if (maySend && goesOutSoon(requestOf({ body: request, extraBody }), world.now()))
      await confirm(session, 'This post goes out within 5 minutes.');
    const intent = await orInterrupted(() => publisher.publish(key, body, { extraBody }), world.signal);
    const next = nextStep(intent, storeOptions(session), 'this command', world.now());
    const result = { ...intent, store, warnings, next };
    const { body: _body, post: _post, ...short } = result;
    output.result(result, short);
    noteEmulator(session, intent);
    return intentExitCode(intent, world.now());
  });
}

/** Ctrl-C ends it or prevents its start. The store marks sent posts, so the same command can continue. */
async function orInterrupted<Result>(start: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  const next = 'Run the same command again: it continues, and sends nothing twice.';
  const interruption = () => new CommandError('Interrupted.', interruptedCode(signal), next);
  if (signal.aborted) throw interruption();
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(interruption());
    });
  });
  return Promise.race([start(), interrupted]);
}
