import { version } from '../../../core/package.js';
import { codeOf } from '../../../core/error-code.js';
import type { DemoSeed, Emulator } from '../../index.js';
import { readFlags, type Flags, help, FlagError } from './flags.js';
import { logRequest, print, startService } from './start-service.js';
import { StateFile } from './state-file.js';
import { serveEmulator, type ServedEmulator } from '../node.js';
import { isLoopback } from '../../../core/parse-url.js';
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

async function serve(service: Emulator, flags: Flags): Promise<ServedEmulator> {
  const { port, host, cors, console } = flags;
  const onRequest = flags.log ? logRequest : undefined;
  try {
    return await serveEmulator(service, { port, host, cors, console, realTime: true, onRequest });
  } catch (error) {
    throw new FlagError(
      whyNot(codeOf(error), flags) ?? (error instanceof Error ? `--${error.message}` : String(error)),
    );
  }
}

function whyNot(code: string, { port, host }: Flags): string | undefined {
  switch (code) {
    case 'EADDRINUSE':
      return `Port ${String(port)} is in use by another program. Choose another with --port, or --port 0 for any free port.`;
    case 'EACCES':
      return `Port ${String(port)} requires more privileges. Choose a port above 1023 with --port.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EINVAL':
      return `--host '${host}' is not an address of this computer. Use 127.0.0.1 for this computer only, 0.0.0.0 for all its addresses.`;
    default:
      return undefined;
  }
}

/** Ends the command on a signal: writes the state, and finishes requests that can be answered in time. */
function endWithSignal(served: ServedEmulator, stateFile: StateFile | undefined, quiet: boolean): void {
  const stop = () => {
    // A second signal ends the process at once.
    process.off('SIGINT', stop).off('SIGTERM', stop);
    void served
      .close()
      .then(() => stateFile?.end())
      .then(() => {
        // A delivery to a slow receiver would keep the process for up to 10 seconds more.
        process.stdout.write(quiet ? '' : 'Stopped.\n', () => process.exit(0));
      });
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
}

/** Runs a command against a fresh emulator on a free port. Returns the exit code of the command. */
async function exec(args: string[]): Promise<number> {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const flags = readFlags(['--port', '0', '--quiet', '--no-console', ...args.slice(0, end)]);
  const [command, ...rest] = args.slice(end + 1);
  if (flags === 'help' || flags === 'version') return shown(flags);
  if (command === undefined)
    throw new FlagError('The command is missing: emulator exec -- COMMAND, for example emulator exec -- npm test');
  const { service } = startService(flags);
  const served = await serve(service, flags);
  const env = {
    ...process.env,
    SOCIAL_PUBLISHING_BASE_URL: served.url,
    SOCIAL_PUBLISHING_ACCESS_KEY: service.accessKey ?? '',
  };
  const child = spawn(command, rest, { stdio: 'inherit', env, shell: process.platform === 'win32' });
  // A terminal sends Ctrl-C to the command too. This program waits for its end.
  const pass = (signal: NodeJS.Signals) => child.kill(signal);
  process.on('SIGINT', pass).on('SIGTERM', pass);
  try {
    return await new Promise<number>((resolve, reject) => {
      child.once('error', (error) => {
        reject(new FlagError(`The command '${command}' did not start: ${codeOf(error) || error.message}`));
      });
      child.once('close', (code, signal) => {
        resolve(code ?? 128 + (signal === null ? 1 : constants.signals[signal]));
      });
    });
  } finally {
    process.off('SIGINT', pass).off('SIGTERM', pass);
    await served.close();
  }
}

function shown(what: 'help' | 'version'): 0 {
  if (what === 'help') process.stdout.write(help);
  else print(version);
  return 0;
}

async function start(args: string[]): Promise<'serving' | 0> {
  const flags = readFlags(args);
  if (flags === 'help' || flags === 'version') return shown(flags);
  const { service, demo, remarks } = startService(flags);
  const stateFile = flags.stateFile === undefined ? undefined : new StateFile(flags.stateFile, service);
  const served = await serve(service, flags);
  try {
    await stateFile?.start();
  } catch (error) {
    await served.close();
    throw error;
  }
  // Before the first line: a program that waits for that line may stop the command at once.
  endWithSignal(served, stateFile, flags.quiet);
  service.observe((change) => {
    if (change.type === 'scenario')
      for (const problem of change.problems) print(`A step of the scenario failed: ${problem}`);
  });
  for (const line of [...remarks, ...banner(served.url, service.accessKey ?? '', flags, demo)]) print(line);
  if (flags.open) openBrowser(served.url);
  return 'serving';
}

/** Runs the emulator's command. Returns an exit code, or `'serving'`: then a signal ends the process. */
export async function runEmulator(args: string[]): Promise<number | 'serving'> {
  try {
    return args[0] === 'exec' ? await exec(args.slice(1)) : await start(args);
  } catch (error) {
    const usage = error instanceof FlagError;
    process.stderr.write(
      usage
        ? `${error.message}\nSee --help.\n`
        : `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    );
    return usage ? 2 : 1;
  }
}

function banner(url: string, accessKey: string, flags: Flags, demo: DemoSeed | undefined): string[] {
  const { quiet, console, host } = flags;
  const lines = [`The emulator answers at ${url}`, `Access key: ${accessKey}`];
  if (!isLoopback(host))
    lines.push(
      `It listens on ${host}: everyone on this network can call it${console ? ', and its control API without a key' : ''}.`,
    );
  if (quiet) return lines;
  if (demo !== undefined) {
    const { integrations, posts, conversations, automations, selections } = demo;
    lines.push(
      `Demo data: ${String(integrations.length)} integrations, ${String(posts.length)} posts, ${String(conversations.length)} conversations, ${String(automations.length)} automations`,
      `Selection tokens: facebook ${selections.facebook}, instagram ${selections.instagram}`,
    );
  }
  if (console) lines.push(`Console: ${url}/  Control API: ${url}/_emulator/openapi.json`);
  if (flags.stateFile === undefined)
    lines.push(
      'Without --state, each start uses the same post IDs again. After each start, pass a new --store to the command publish.',
    );
  return [...lines, '', ...program(url, accessKey), '', 'Press Ctrl-C to stop.'];
}

function program(url: string, accessKey: string): string[] {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  return [
    "  import { SocialPublishing } from 'social-publishing';",
    `  const client = new SocialPublishing({ baseUrl: ${quoted(url)}, accessKey: ${quoted(accessKey)} });`,
    '  for await (const post of client.posts.list()) console.log(post.status, post.content);',
  ];
}

const commands: Readonly<Partial<Record<NodeJS.Platform, readonly [command: string, ...args: string[]]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** Opens an address in the browser. A failure is ignored, because the address was printed. */
function openBrowser(url: string): void {
  const [command, ...args] = commands[process.platform] ?? ['xdg-open'];
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
