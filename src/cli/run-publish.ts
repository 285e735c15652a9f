import type { CreatePostBody } from '../index.js';
import { confirm, goesOutSoon } from './confirm.js';
import { connect, prepareRequest, type Connection } from './connection.js';
import { CommandError } from './command-errors.js';
import { interruptedCode, type ExitCode } from './exit-codes.js';
import type { FieldOption } from './fields.js';
import { emulatorNote, intentExitCode, nextStep } from './intent-result.js';
import { withPublisher } from './open-publisher.js';
import { findStore } from './open-store.js';
import { readBody } from './read-body.js';
import type { JsonObject } from './read-input.js';
import { textOf, type Session, type Values } from './session.js';

/** Publishes one post under its key. */
export async function runPublish(session: Session, values: Values, fields: readonly FieldOption[]): Promise<ExitCode> {
  const { output, world } = session;
  const key = textOf(values, 'key') ?? '';
  const { fields: request, extraBody } = await readBody(session, values, fields);
  // The client checks it before anything is sent.
  const body = request as unknown as CreatePostBody;
  const connection = await connect(session, values);
  const prepared = await prepare(connection, body, extraBody);
  if (values['dryRun'] === true) {
    const { name, warnings } = findStore(session, values);
    output.result({ dryRun: true, key, ...prepared, store: name, ...(warnings.length === 0 ? {} : { warnings }) });
    return 0;
  }
  return withPublisher(session, values, { calls: true }, async ({ publisher, store, warnings }) => {
    const known = await publisher.get(key);
    const maySend = known === undefined || known.state === 'ready';
    if (maySend && goesOutSoon({ ...request, ...extraBody }, world.now()))
      await confirm(session, values, 'This post goes out within 5 minutes.');
    const intent = await orInterrupted(() => publisher.publish(key, body, { extraBody }), world.signal);
    const next = nextStep(intent, values, 'this command');
    const result = {
      ...intent,
      store,
      ...(warnings.length === 0 ? {} : { warnings }),
      ...(next === undefined ? {} : { next }),
    };
    const { body: _body, post: _post, ...short } = result;
    output.result(result, short);
    const note = emulatorNote(intent, connection.baseUrl);
    if (note !== undefined) output.note(note);
    return intentExitCode(intent);
  });
}

/** Ctrl-C ends it or prevents its start. The store marks sent posts, so the same command can continue. */
async function orInterrupted<Result>(start: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
  if (signal.aborted) throw interruption(signal);
  const interrupted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(interruption(signal));
    });
  });
  const work = start();
  // No code waits for the promise that ends later.
  work.catch(() => undefined);
  interrupted.catch(() => undefined);
  return Promise.race([work, interrupted]);
}

function interruption(signal: AbortSignal): CommandError {
  const next = 'Run the same command again: it continues, and sends nothing twice.';
  return new CommandError('Interrupted.', interruptedCode(signal), next);
}

function prepare(connection: Connection, body: CreatePostBody, extraBody: JsonObject | undefined) {
  return prepareRequest(connection, (client) => client.posts.create(body, { extraBody }));
}
