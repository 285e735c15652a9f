import { Option, type Command } from 'commander';
import { collect, kebab, newCommand, onRun, optionsOf, type Session } from '../command.js';
import { randomBytes } from 'node:crypto';
import { NotFoundError, type SocialPublishing } from '../../index.js';
import { createTools, type PostExtrasSchema, type ToolMode } from '../../tools/index.js';
import { extrasOfJsonSchema, serveMcpOverHttp, serveMcpOverStdio, type ServedMcp } from '../../tools/mcp/serve.js';
import { createPublisher } from '../../publisher/index.js';
import { connect } from '../connection.js';
import { UsageError, exitCodes, interruptedCode, type ExitCode } from '../errors.js';
import { withStore } from '../store.js';
import { findSecret, readJsonObject } from '../input.js';
import { messageOf } from '../report-error.js';

/** `mcp`: the tools for agents, over the Model Context Protocol. */
export function mcpCommand(session: Session): Command {
  const command = newCommand(
    'mcp',
    'Serves tools for agents over the Model Context Protocol: on stdin and stdout, or with --http on 127.0.0.1. ' +
      'Posts are drafts unless --mode allows more, and no key is published twice.',
    'social-publishing mcp --mode schedule --time-zone Europe/Berlin',
  )
    .addOption(
      new Option('--mode <mode>', 'the strongest write that needs no approval; default draft').choices([
        'draft',
        'schedule',
        'publish',
      ]),
    )
    .option('--max-credits <n>', 'credits that the analytics tools may spend; default 0: no such tools')
    .option('--time-zone <zone>', 'IANA zone of local times; default UTC')
    .addOption(new Option('--account <id>', 'an account to use; repeat for more; default: all').argParser(collect))
    .option('--extras <file>', 'JSON Schema of further fields of a post, such as media')
    .option('--http', 'serve Streamable HTTP, with a bearer token')
    .option('--port <n>', 'the port of --http; default: any free port')
    .option('--token-file <file>', 'the bearer token; default: a random one, printed to stderr');
  return onRun(command, session, runMcp, 'service', 'store');
}

/** Only messages of the protocol go to stdout. */
async function runMcp(session: Session): Promise<ExitCode> {
  const { world, output } = session;
  const maxCredits = session.wholeNumber('maxCredits', { least: 0 });
  const port = session.wholeNumber('port', { least: 0, most: 65_535 });
  if (!session.isSet('http')) refuseHttpOptions(session);
  const client = await connect(session);
  const accounts = await readAccounts(session, client);
  return withStore(session, {}, async (store, place) => {
    const tools = createTools({
      client,
      publisher: createPublisher({ client, store }),
      store,
      // commander has checked it.
      mode: session.text('mode') as ToolMode | undefined,
      maxCredits,
      timeZone: session.text('timeZone'),
      accounts,
      postExtras: await readExtras(session),
    });
    const terminalOptions = optionsOf({ '--base-url': client.baseUrl, '--store': place.option });
    const onError = (error: Error) => {
      output.note(messageOf(error));
    };
    if (session.isSet('http')) {
      const known = await findSecret(session, 'tokenFile');
      const token = known ?? randomBytes(32).toString('base64url');
      const served = await serveMcpOverHttp({ tools, terminalOptions, token, port, onError });
      output.note(`Serving MCP at ${served.url} until Ctrl-C. ${place.name} is the store.`);
      if (known === undefined) output.note(`Authorization: Bearer ${token}`);
      await untilStopped(session, served);
    } else await untilStopped(session, serveMcpOverStdio({ tools, terminalOptions, onError }));
    return world.signal.aborted ? interruptedCode(world.signal) : exitCodes.success;
  });
}

/** @throws UsageError an option needs `--http`: without it, the user would rely on a token that nothing checks */
function refuseHttpOptions(session: Session): void {
  for (const name of ['tokenFile', 'port'])
    if (session.value(name) !== undefined) throw new UsageError(`--${kebab(name)} needs --http.`);
}

/** A host that starts the server must not wait long for a service that is down. */
const longestCheckMs = 5_000;

/**
 * Reads the accounts of `--account`, and checks that they exist: the service makes the IDs, so an unknown one is a mistake.
 * @throws UsageError there is no such account
 */
async function readAccounts(
  session: Session,
  { integrations }: SocialPublishing,
): Promise<readonly string[] | undefined> {
  const { output, world } = session;
  // `collect` returns an array of texts.
  const accounts = session.value('account') as readonly string[] | undefined;
  const list = '`social-publishing integrations list` shows the IDs.';
  if (accounts?.includes('') === true) throw new UsageError(`--account must be the ID of an account. ${list}`);
  const check = async (id: string) => {
    try {
      await integrations.get(id, { totalTimeoutMs: longestCheckMs, signal: world.signal });
    } catch (error) {
      if (world.signal.aborted) throw error;
      if (error instanceof NotFoundError)
        throw new UsageError(`--account: there is no account '${id}' at this service. ${list}`);
      output.note(`The account ${id} could not be checked: ${messageOf(error)}`);
    }
  };
  await Promise.all((accounts ?? []).map(check));
  return accounts;
}

/** Reads the schema of further fields. The MCP server's library checks the fields. */
async function readExtras(session: Session): Promise<PostExtrasSchema | undefined> {
  const file = session.text('extras');
  if (file === undefined) return undefined;
  const schema = await readJsonObject(session.world, file, '--extras');
  try {
    return extrasOfJsonSchema(schema);
  } catch (error) {
    throw new UsageError(`--extras: '${file}' is not a JSON Schema: ${messageOf(error)}`);
  }
}

/** Waits for Ctrl-C, or without `--http` for the client's end of stdin. */
async function untilStopped(session: Session, served: ServedMcp): Promise<void> {
  await new Promise<void>((resolve) => {
    const stop = () => {
      resolve();
    };
    const { signal } = session.world;
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    // The transport reads the process's stdin.
    if (!session.isSet('http')) process.stdin.once('end', stop).once('close', stop);
  });
  await served.close();
}
