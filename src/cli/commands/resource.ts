/** The commands of the resources: one for each operation of the service. */
import { existsSync } from 'node:fs';
import { mkdir, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import type { Endpoint } from '../../core/call/endpoint.js';
import { codeOf } from '../../core/error-code.js';
import type { Fields } from '../../core/json.js';
import { outcomeOf, targetResults, type SocialPublishing } from '../../index.js';
import { goesOutSoon } from '../../posts/read-create.js';
import { endpoints } from '../../resources/endpoints.js';
import { type Action, kebab, newCommand, onRun, optionsOf, type Session } from '../command.js';
import { connect, prepareRequest } from '../connection.js';
import { CommandError, UsageError, exitCodes, type ExitCode } from '../errors.js';
import { addFields, fieldOptions, type FieldOption } from '../fields.js';
import { confirm, readBody, type RequestFields } from '../input.js';
import { messageOf } from '../report-error.js';
import { stateFolder } from '../store.js';

export interface ResourceSummary {
  readonly name: string;
  readonly summary: string;
}

/** Every operation, in the order of the client. */
export function allOperations(): CommandOperation[] {
  return Object.entries(endpoints).flatMap(([resource, methods]) =>
    Object.entries<Endpoint>(methods).map(([method, endpoint]) => ({ resource, method, endpoint })),
  );
}

export function resourceCommand(session: Session, { name, summary }: ResourceSummary): Command {
  const operations = allOperations().filter(({ resource }) => resource === name);
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  const [example = ''] = operations.map(exampleOf);
  const command = newCommand(name, description, `social-publishing ${example}`);
  for (const operation of operations) command.addCommand(operationCommand(session, operation));
  if (name === 'integrations') command.addCommand(needingAttentionCommand(session));
  return command;
}

function needingAttentionCommand(session: Session): Command {
  const command = newCommand(
    'needing-attention',
    'Lists the accounts that need attention, with the reason.',
    'social-publishing integrations needing-attention --json',
  ).option('--within-days <n>', 'also tokens that expire within this number of days; default 7');
  return onRun(command, session, listNeedingAttention, 'format', 'service');
}

async function listNeedingAttention(session: Session): Promise<undefined> {
  const withinDays = session.wholeNumber('withinDays', { least: 0 }) ?? 7;
  const { integrations } = await connect(session);
  async function* rows() {
    for await (const found of integrations.needingAttention({ withinDays, signal: session.world.signal })) {
      const { id, platform, username } = found.integration;
      yield { id, platform, username, reason: found.reason, expiresAt: found.expiresAt };
    }
  }
  await session.output.list(rows());
}

function operationCommand(session: Session, operation: CommandOperation): Command {
  const { endpoint, method } = operation;
  const selecting = selectingField(endpoint);
  const fields = fieldOptions(endpoint).filter(
    ({ path: [name] }) => name === selecting || name !== endpoint.selectedBy?.query,
  );
  const deprecated = endpoint.deprecated === true ? ' Deprecated by the service.' : '';
  const example = `social-publishing ${exampleOf(operation)}`;
  const command = newCommand(kebab(method), `${endpoint.summary}${deprecated}`, example);
  for (const name of positionals(endpoint)) command.argument(`<${kebab(name)}>`, endpoint.params?.[name]?.description);
  if (selecting !== undefined) command.argument(`[${kebab(selecting)}]`, 'the same as the option');
  addFields(command, fields, endpoint.body && `JSON with the fields${secretHint(endpoint)}`);
  if (endpoint.list !== undefined) {
    command
      .option('--limit <n>', 'at most this number of items; default: one page')
      .option('--all', 'all items of all pages');
  }
  if (savesSecret(endpoint)) command.option('--secret-file <file>', 'where to save the new signing secret');
  const isRead = endpoint.route.startsWith('GET ');
  const groups = [
    ...(isRead ? [] : (['dryRun'] as const)),
    ...(questions[endpoint.route] === undefined ? [] : (['confirmation'] as const)),
  ];
  const run: Action = (_, args) => runOperation(session, { operation, fields, args });
  return onRun(command, session, run, ...groups, 'format', 'service');
}

function secretHint({ secrets }: Endpoint): string {
  const names = [...(secrets?.params ?? []), ...(secrets?.body ?? [])];
  return names.length === 0 ? '' : `, with ${names.join(', ')}`;
}

/** Example arguments, which work with the demo of the emulator. The other commands need none. */
const examples: Readonly<Record<string, string>> = {
  'posts.create':
    "posts create --content 'Hello' --target bluesky:integration_7 \\\n    --scheduled-for 2027-03-01T09:00:00Z",
  'posts.list': 'posts list --status scheduled --all --json',
  'posts.updateScheduled': "posts update-scheduled post_59 --content 'New text'",
  'comments.list': 'comments list --platform threads --account-id integration_9 --post-id threads_5',
  'messages.listConversations': 'messages list-conversations --platform instagram --account-id integration_2',
  'messages.list': 'messages list conversation_1 --platform instagram --account-id integration_2',
  'messages.send':
    'messages send --platform instagram --account-id integration_2 \\\n    --recipient-id 4711 --text Hello',
  'automations.create':
    "automations create --account-id integration_2 --name Offer --post-scope any \\\n    --keywords offer --dm-message 'Here it is'",
  'automations.listEligiblePosts': 'automations list-eligible-posts --account-id integration_2',
  'automations.listLogs': 'automations list-logs automation_1 --limit 10',
  'analytics.getPost': 'analytics get-post post_1',
  'analytics.getInstagramInsights': 'analytics get-instagram-insights --account-id integration_2 --since 2027-01-01',
  'notifications.create':
    'notifications create --channel webhook --event-types post.failed \\\n    --webhook-url https://example.com/hook --secret-file secret.txt',
  'integrations.get': 'integrations get integration_2',
  'integrations.update': 'integrations update integration_2 --profile-id null',
  'integrations.selectFacebookPages': 'integrations select-facebook-pages --body body.json',
  'integrations.selectInstagramAccounts': 'integrations select-instagram-accounts --body body.json',
  'apps.create': 'apps create --body body.json',
};

function exampleOf({ resource, method }: CommandOperation): string {
  return examples[`${resource}.${method}`] ?? `${resource} ${kebab(method)}`;
}

/** One operation of the service, with the names of its method. */
interface CommandOperation {
  readonly resource: string;
  readonly method: string;
  readonly endpoint: Endpoint;
}

/** The path parameters that an argument may show. */
function positionals(endpoint: Endpoint): string[] {
  const secret = new Set(endpoint.secrets?.params);
  return Object.keys(endpoint.params ?? {}).filter((name) => !secret.has(name));
}

/** If two operations share a route: the field that selects this operation. It is an argument of the method. */
function selectingField({ selectedBy }: Endpoint): string | undefined {
  return selectedBy?.present === true ? selectedBy.query : undefined;
}

/** Whether the reply contains a signing secret, which no output may show. */
function savesSecret({ route }: Endpoint): boolean {
  return route === endpoints.notifications.create.route;
}

function createsPost({ route }: Endpoint): boolean {
  return route === endpoints.posts.create.route;
}

/** The questions before calls that publish or cannot be undone, by route. `undefined`: no question. */
const questions: Readonly<Record<string, (body: Fields, now: number) => string | undefined>> = {
  [endpoints.posts.create.route]: (body, now) =>
    goesOutSoon(body, now) ? 'This post goes out within 5 minutes.' : undefined,
  [endpoints.messages.send.route]: () => 'This message goes out now and cannot be undone.',
};

interface OperationRun {
  readonly operation: CommandOperation;
  readonly fields: readonly FieldOption[];
  readonly args: readonly string[];
}

async function runOperation(session: Session, run: OperationRun): Promise<ExitCode | undefined> {
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
    if (!createsPost(endpoint)) return undefined;
    // The reply was checked against the schema of a create.
    const { failed } = targetResults(reply as Parameters<typeof targetResults>[0]);
    return failed.length > 0 ? exitCodes.rejected : undefined;
  } catch (error) {
    if (createsPost(endpoint) && outcomeOf(error) === 'unknown') noteLookup(session, error, sentAt);
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

/** A clock can be wrong: the publisher's search for an equal post goes back as far. */
const searchedMs = 24 * 3_600_000;

/** After a create with an unknown outcome: adds the command that lists the posts around its time, at the same service. */
function noteLookup(session: Session, error: unknown, sentAt: Date): void {
  const from = new Date(sentAt.getTime() - searchedMs).toISOString();
  const connection = optionsOf({
    '--base-url': session.text('baseUrl'),
    '--access-key-file': session.text('accessKeyFile'),
  });
  const command = `social-publishing posts list --created-after ${from} --all --json ${connection}`.trimEnd();
  const next =
    'The post may exist: do not create it again. `social-publishing publish --key KEY` would create it again, too. The list ' +
    `can show a new post late, so if it is missing, search again in some minutes. Search for its post: ${command}`;
  // Only an object has an outcome.
  Object.assign(error as object, { next });
}

/**
 * Opens the file for a signing secret. Refuses a file with content, because it may contain an earlier secret. The default
 * name contains the time: an emulator that starts again repeats the IDs of subscriptions.
 * @throws UsageError the file has content or cannot be written; nothing was sent
 */
async function openSecretFile(session: Session) {
  const time = new Date(session.world.now()).toISOString().replaceAll(':', '-');
  const path = session.text('secretFile') ?? join(stateFolder(session.world), `webhook-secret-${time}`);
  const isNew = !existsSync(path);
  let handle: FileHandle;
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    handle = await open(path, 'a', 0o600);
  } catch (error) {
    const reason = codeOf(error) || messageOf(error);
    throw new UsageError(`--secret-file: cannot write '${path}': ${reason}. Nothing was sent.`);
  }
  const info = await handle.stat();
  // A pipe or a device has no content.
  if (!info.isFile() || info.size === 0) return { path, handle, isNew };
  await handle.close();
  throw new UsageError(`--secret-file: '${path}' has content. Nothing was sent. Pass the path of a new file.`);
}

const removeFirst = 'Do not repeat the command before you have removed this subscription at the service.';

/**
 * Saves the signing secret of a new subscription, which the service shows only once, in a file that only its owner can read.
 * The file is open before the request. No output may show the secret.
 */
async function callForSecret(session: Session, call: () => PromiseLike<unknown>): Promise<unknown> {
  const { output } = session;
  const { path, handle, isNew } = await openSecretFile(session);
  let isNeeded = false;
  try {
    const reply = await call();
    const { id, webhook } = reply as { id?: unknown; webhook?: { secret?: unknown } };
    const secret = webhook?.secret;
    if (typeof secret !== 'string') return reply;
    isNeeded = true;
    output.hide(secret);
    await write(handle, `${secret}\n`).catch((error: unknown) => {
      throw new CommandError(
        `The subscription '${String(id)}' was created, but its secret could not be saved in ${path}: ${messageOf(error)}.`,
        exitCodes.inDoubt,
        removeFirst,
      );
    });
    output.note(`The signing secret is in ${path}. Pass it to 'webhooks listen' with --secret-file.`);
    // It has a webhook, so it is an object.
    return { ...(reply as object), secretFile: path };
  } finally {
    // A handle that is closed stays closed. An error here must not replace that of the write.
    await handle.close().catch(() => undefined);
    if (isNew && !isNeeded) await rm(path, { force: true });
  }
}

async function write(handle: FileHandle, text: string): Promise<void> {
  // A pipe or a device keeps its mode.
  if ((await handle.stat()).isFile()) await handle.chmod(0o600);
  await handle.writeFile(text);
  await handle.close();
}
