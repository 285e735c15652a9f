import { existsSync } from 'node:fs';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../core/error-code.js';
import type { Endpoint } from '../../core/call/endpoint.js';
import { endpoints } from '../../resources/endpoints.js';
import { goesOutSoon, type JsonObject, confirm, readBody } from '../input.js';
import { outcomeOf, targetResults, type RequestOptions, type SocialPublishing } from '../../index.js';
import { CommandError, UsageError, exitCodes, type ExitCode } from '../errors.js';
import { connect, prepareRequest, type DryRequest } from '../connection.js';
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
export function isPositional({ selectedBy }: Endpoint): boolean {
  return selectedBy?.present === true;
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
export const questions: Readonly<Record<string, (body: JsonObject, now: number) => string | undefined>> = {
  [endpoints.posts.create.route]: (body, now) =>
    goesOutSoon(body, now) ? 'This post goes out within 5 minutes.' : undefined,
  [endpoints.messages.send.route]: () => 'This message goes out now and cannot be undone.',
};

interface OperationCall {
  readonly operation: CommandOperation;
  readonly fields: readonly FieldOption[];
  readonly args: readonly string[];
}

interface OperationInput {
  readonly params: readonly string[];
  readonly fields: JsonObject;
  readonly extraBody: JsonObject | undefined;
}

export async function runOperation(session: Session, run: OperationCall): Promise<ExitCode | undefined> {
  const { operation } = run;
  const { endpoint } = operation;
  const input = await readInput(session, run);
  const client = await connect(session);
  if (endpoint.list !== undefined) return listItems(session, client, { ...run, input });
  if (session.isSet('dryRun')) {
    session.output.result({ dryRun: true, ...(await prepare(client, operation, input)) });
    return undefined;
  }
  const question = questions[endpoint.route]?.({ ...input.fields, ...input.extraBody }, session.world.now());
  if (question !== undefined) {
    // An invalid request is reported first.
    await prepare(client, operation, input);
    await confirm(session, question);
  }
  session.isRepeatable = endpoint.retry !== 'once';
  const sentAt = new Date(session.world.now());
  try {
    const reply = await send(session, client, { ...run, input });
    if (Array.isArray(reply)) {
      await session.output.list(reply);
      return undefined;
    }
    session.output.result(reply);
    return hasFailedTargets(endpoint, reply) ? exitCodes.rejected : undefined;
  } catch (error) {
    if (createsPost(endpoint)) noteLookup(session, error, lookupOf(session, sentAt));
    throw error;
  }
}

/** Sends the request. If its reply contains a signing secret, the secret is saved. */
async function send(
  session: Session,
  client: SocialPublishing,
  { operation, input }: OperationCall & { readonly input: OperationInput },
): Promise<unknown> {
  const call = () => callMethod(client, operation, input, { signal: session.world.signal });
  if (!savesSecret(operation.endpoint)) return call();
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

async function readInput(session: Session, { operation, fields, args }: OperationCall): Promise<OperationInput> {
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
  if (isPositional(endpoint)) {
    const name = endpoint.selectedBy?.query ?? '';
    const value = args[0] ?? request.get(name);
    if (typeof value !== 'string') throw new UsageError(`The argument <${kebab(name)}> is missing.`);
    params.push(value);
    request.delete(name);
  }
  return { params, fields: Object.fromEntries(request), extraBody };
}

function callMethod(
  client: SocialPublishing,
  { resource, method, endpoint }: CommandOperation,
  { params, fields, extraBody }: OperationInput,
  options: RequestOptions = {},
): PromiseLike<unknown> {
  // Each endpoint has its method under the same names: a test compares them.
  const methods = client[resource as 'posts'] as unknown as Record<
    string,
    (...args: unknown[]) => PromiseLike<unknown>
  >;
  const takesFields = endpoint.body !== undefined || endpoint.query !== undefined;
  const call = methods[method]?.bind(methods);
  if (call === undefined) throw new CommandError('There is no such method.');
  return call(...params, ...(takesFields ? [fields] : []), { ...options, ...(extraBody && { extraBody }) });
}

function prepare(client: SocialPublishing, operation: CommandOperation, input: OperationInput): Promise<DryRequest> {
  return prepareRequest(client, operation.endpoint, (dry) => callMethod(dry, operation, input));
}

/** The largest page that the service returns. */
const largestPage = 100;

async function listItems(
  session: Session,
  client: SocialPublishing,
  { operation, input }: OperationCall & { readonly input: OperationInput },
): Promise<undefined> {
  const limit = session.wholeNumber('limit');
  const all = session.isSet('all');
  if (all && limit !== undefined) throw new UsageError('--limit cannot be combined with --all.');
  const query = { ...input.fields, ...pageSize(operation, all ? largestPage : limit) };
  const items = callMethod(client, operation, { ...input, fields: query }, { signal: session.world.signal });
  // Each list endpoint's method returns a Paginator.
  const pages = items as unknown as AsyncIterable<unknown> & PromiseLike<{ readonly items: readonly unknown[] }>;
  if (all || limit !== undefined) await session.output.list(pages, { limit });
  else await session.output.list((await pages).items);
  return undefined;
}

/** Not every list accepts a page size. */
function pageSize({ endpoint }: CommandOperation, wanted: number | undefined): JsonObject {
  const accepts = endpoint.query?.().shape['limit'] !== undefined;
  return wanted === undefined || !accepts ? {} : { limit: Math.min(wanted, largestPage) };
}

function hasFailedTargets(endpoint: Endpoint, reply: unknown): boolean {
  if (!createsPost(endpoint)) return false;
  // The reply was checked against the schema of a create.
  const results = targetResults(reply as Parameters<typeof targetResults>[0]);
  return results.failed.length > 0;
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
function noteLookup({ output }: Session, error: unknown, command: string): void {
  if (outcomeOf(error) !== 'unknown') return;
  const next =
    'The post may exist: do not create it again. `social-publishing publish --key KEY` would create it again, too. The list ' +
    `can show a new post late, so if it is missing, search again in some minutes. Search for its post: ${command}`;
  if (typeof error === 'object' && error !== null) Object.assign(error, { next });
  else output.error(next);
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
