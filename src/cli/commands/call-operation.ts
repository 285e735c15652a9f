import { existsSync } from 'node:fs';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../core/error-code.js';
import type { Endpoint } from '../../core/call/endpoint.js';
import { endpoints } from '../../resources/endpoints.js';
import { goesOutSoon } from '../../posts/read-create.js';
import type { Fields } from '../../core/json.js';
import { confirm, readBody, type RequestFields } from '../input.js';
import { outcomeOf, targetResults, type SocialPublishing } from '../../index.js';
import { CommandError, UsageError, exitCodes, type ExitCode } from '../errors.js';
import { connect, prepareRequest } from '../connection.js';
import { optionsOf } from '../options.js';
import type { FieldOption } from '../fields.js';
import { messageOf } from '../report-error.js';
import { stateFolder } from '../store.js';
import { kebab, type Session } from '../session.js';

/** One operation of the service, with the names of its method. */
export interface CommandOperation {
  readonly resource: string;
  readonly method: string;
  readonly endpoint: Endpoint;
}

/** The path parameters that an argument may show. */
export function positionals(endpoint: Endpoint): string[] {
  const secret = new Set(endpoint.secrets?.params);
  return Object.keys(endpoint.params ?? {}).filter((name) => !secret.has(name));
}

/** If two operations share a route: the field that selects this operation. It is an argument of the method. */
export function selectingField({ selectedBy }: Endpoint): string | undefined {
  return selectedBy?.present === true ? selectedBy.query : undefined;
}

export function isWrite({ route }: Endpoint): boolean {
  return !route.startsWith('GET ');
}

/** Whether the reply contains a signing secret, which no output may show. */
export function savesSecret({ route }: Endpoint): boolean {
  return route === endpoints.notifications.create.route;
}

function createsPost({ route }: Endpoint): boolean {
  return route === endpoints.posts.create.route;
}

/** The questions before calls that publish or cannot be undone, by route. `undefined`: no question. */
export const questions: Readonly<Record<string, (body: Fields, now: number) => string | undefined>> = {
  [endpoints.posts.create.route]: (body, now) =>
    goesOutSoon(body, now) ? 'This post goes out within 5 minutes.' : undefined,
  [endpoints.messages.send.route]: () => 'This message goes out now and cannot be undone.',
};

interface OperationRun {
  readonly operation: CommandOperation;
  readonly fields: readonly FieldOption[];
  readonly args: readonly string[];
}

export async function runOperation(session: Session, run: OperationRun): Promise<ExitCode | undefined> {
  const { world, output } = session;
  const { endpoint } = run.operation;
  const input = await readInput(session, run);
  const client = await connect(session);
  const call = (to: SocialPublishing) => callMethod(to, run.operation, input, world.signal);
  if (endpoint.list !== undefined) return listItems(session, call(client));
  if (session.isSet('dryRun')) {
    output.result({ dryRun: true, ...(await prepareRequest(client, endpoint, call)) });
    return undefined;
  }
  const question = questions[endpoint.route]?.({ ...input.fields, ...input.extraBody }, world.now());
  if (question !== undefined) {
    // An invalid request is reported first.
    await prepareRequest(client, endpoint, call);
    await confirm(session, question);
  }
  session.isRepeatable = endpoint.retry !== 'once';
  const sentAt = new Date(world.now());
  try {
    const reply = savesSecret(endpoint) ? await callForSecret(session, () => call(client)) : await call(client);
    if (Array.isArray(reply)) await output.list(reply);
    else output.result(reply);
    return createsPost(endpoint) && hasFailedTargets(reply) ? exitCodes.rejected : undefined;
  } catch (error) {
    if (createsPost(endpoint)) noteLookup(error, lookupOf(session, sentAt));
    throw error;
  }
}

interface OperationInput extends RequestFields {
  readonly params: readonly string[];
}

async function readInput(session: Session, { operation, fields, args }: OperationRun): Promise<OperationInput> {
  const { endpoint } = operation;
  const { fields: body, extraBody } = await readBody(session, fields);
  const request = new Map(Object.entries(body));
  const params = args.slice(0, positionals(endpoint).length);
  for (const name of endpoint.secrets?.params ?? []) {
    const value = request.get(name);
    if (typeof value !== 'string')
      throw new UsageError(`The field '${name}' is missing. Pass it in --body FILE, or - for stdin.`);
    session.output.hide(value);
    params.push(value);
    request.delete(name);
  }
  for (const name of endpoint.secrets?.body ?? []) {
    const value = request.get(name);
    if (typeof value === 'string') session.output.hide(value);
  }
  const name = selectingField(endpoint);
  if (name !== undefined) {
    const value = args[0] ?? request.get(name);
    if (typeof value !== 'string') throw new UsageError(`The argument <${kebab(name)}> is missing.`);
    params.push(value);
    request.delete(name);
  }
  return { params, fields: { ...Object.fromEntries(request), ...pageSize(session, endpoint) }, extraBody };
}

function callMethod(
  client: SocialPublishing,
  { resource, method, endpoint }: CommandOperation,
  { params, fields, extraBody }: OperationInput,
  signal: AbortSignal,
): PromiseLike<unknown> {
  // Each endpoint has its method under the same names: a test compares them.
  const methods = client[resource as 'posts'] as unknown as Record<
    string,
    (...args: unknown[]) => PromiseLike<unknown>
  >;
  const takesFields = endpoint.body !== undefined || endpoint.query !== undefined;
  const call = methods[method]?.bind(methods);
  if (call === undefined) throw new CommandError('There is no such method.');
  return call(...params, ...(takesFields ? [fields] : []), { signal, ...(extraBody && { extraBody }) });
}

/** The largest page that the service returns. */
const largestPage = 100;

/** The size of the pages for `--limit` and `--all`. Not every list accepts one. */
function pageSize(session: Session, endpoint: Endpoint): Fields {
  const wanted = session.isSet('all') ? largestPage : session.wholeNumber('limit');
  const accepts = endpoint.list !== undefined && endpoint.query?.().shape['limit'] !== undefined;
  return wanted === undefined || !accepts ? {} : { limit: Math.min(wanted, largestPage) };
}

async function listItems(session: Session, items: unknown): Promise<undefined> {
  const limit = session.wholeNumber('limit');
  const all = session.isSet('all');
  if (all && limit !== undefined) throw new UsageError('--limit cannot be combined with --all.');
  // Each list endpoint's method returns a Paginator.
  const pages = items as AsyncIterable<unknown> & PromiseLike<{ readonly items: readonly unknown[] }>;
  if (all || limit !== undefined) await session.output.list(pages, { limit });
  else await session.output.list((await pages).items);
  return undefined;
}

function hasFailedTargets(reply: unknown): boolean {
  // The reply was checked against the schema of a create.
  return targetResults(reply as Parameters<typeof targetResults>[0]).failed.length > 0;
}

/** A clock can be wrong: the publisher's search for an equal post goes back as far. */
const searchedMs = 24 * 3_600_000;

/** The command that lists the posts of the time around a create, at the same service. */
function lookupOf(session: Session, sentAt: Date): string {
  const from = new Date(sentAt.getTime() - searchedMs).toISOString();
  const connection = optionsOf({
    '--base-url': session.text('baseUrl'),
    '--access-key-file': session.text('accessKeyFile'),
  });
  return `social-publishing posts list --created-after ${from} --all --json ${connection}`.trimEnd();
}

/** After a create with an unknown outcome: how to find its post. */
function noteLookup(error: unknown, command: string): void {
  if (outcomeOf(error) !== 'unknown') return;
  const next =
    'The post may exist: do not create it again. `social-publishing publish --key KEY` would create it again, too. The list ' +
    `can show a new post late, so if it is missing, search again in some minutes. Search for its post: ${command}`;
  // Only an object has an outcome.
  Object.assign(error as object, { next });
}

/** The file for a signing secret that the service shows only once. It is open before the request. */
interface SecretFile {
  readonly path: string;
  readonly handle: FileHandle;
  /** Whether the file did not exist before. */
  readonly isNew: boolean;
}

/**
 * Opens the file. Refuses a file with content, because it may contain an earlier secret. The default name contains the
 * time: an emulator that starts again repeats the IDs of subscriptions.
 * @throws UsageError the file has content or cannot be written; nothing was sent
 */
async function openSecretFile(session: Session): Promise<SecretFile> {
  const time = new Date(session.world.now()).toISOString().replaceAll(':', '-');
  const path = session.text('secretFile') ?? join(stateFolder(session.world), `webhook-secret-${time}`);
  const isNew = !existsSync(path);
  const handle = await openToAppend(path);
  const info = await handle.stat();
  // A pipe or a device has no content.
  if (!info.isFile() || info.size === 0) return { path, handle, isNew };
  await handle.close();
  throw new UsageError(`--secret-file: '${path}' has content. Nothing was sent. Pass the path of a new file.`);
}

async function openToAppend(path: string): Promise<FileHandle> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return await open(path, 'a', 0o600);
  } catch (error) {
    const reason = codeOf(error) || messageOf(error);
    throw new UsageError(`--secret-file: cannot write '${path}': ${reason}. Nothing was sent.`);
  }
}

/** Saves the signing secret of the reply to a file, which is open before the request. */
async function callForSecret(session: Session, call: () => PromiseLike<unknown>): Promise<unknown> {
  const file = await openSecretFile(session);
  let reply: unknown;
  try {
    reply = await call();
  } catch (error) {
    await discardSecretFile(file);
    throw error;
  }
  return saveSecret(session, file, reply);
}

/** Closes a file that is not needed, and removes it if it is new. */
async function discardSecretFile({ path, handle, isNew }: SecretFile): Promise<void> {
  await handle.close();
  if (isNew) await rm(path, { force: true });
}

const removeFirst = 'Do not repeat the command before you have removed this subscription at the service.';

/** Saves the signing secret of a new subscription to the file, which only its owner can read. No output may show it. */
async function saveSecret({ output }: Session, file: SecretFile, reply: unknown): Promise<unknown> {
  const { id, webhook } = reply as { id?: unknown; webhook?: { secret?: unknown } };
  const secret = webhook?.secret;
  if (typeof secret !== 'string') {
    await discardSecretFile(file);
    return reply;
  }
  output.hide(secret);
  try {
    await write(file.handle, `${secret}\n`);
  } catch (error) {
    throw new CommandError(
      `The subscription '${String(id)}' was created, but its secret could not be saved in ${file.path}: ${messageOf(error)}.`,
      exitCodes.inDoubt,
      removeFirst,
    );
  }
  output.note(`The signing secret is in ${file.path}. Pass it to 'webhooks listen' with --secret-file.`);
  // It has a webhook, so it is an object.
  return { ...(reply as object), secretFile: file.path };
}

async function write(handle: FileHandle, text: string): Promise<void> {
  try {
    // A pipe or a device keeps its mode.
    if ((await handle.stat()).isFile()) await handle.chmod(0o600);
    await handle.writeFile(text);
  } finally {
    await handle.close();
  }
}
