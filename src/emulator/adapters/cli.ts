#!/usr/bin/env node
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { createEmulator, type Emulator } from '../index.js';
import { serveEmulator, type RequestLine, type ServedEmulator } from './node.js';

const help = `Serves the social publishing service from memory, for programs in any language.

Usage: social-publishing-emulator [options]

  --port <number>        Port on 127.0.0.1. Default 8787; 0 takes any free one.
  --seed <name>          What it holds at the start: empty (default) or demo.
  --access-key <key>     The access key that it asks for. Default test-key.
  --random-seed <number> Where its chances come from: the same number, the same data. Default 1.
  --quiet                No log of requests and deliveries.
  --version              The version of this package.
  --help                 This text.

Its clock runs with the real one. Webhooks go out over the network. Nothing is kept when it ends: press Ctrl-C.
`;

/** A mistake in how the command was called. */
class UsageError extends Error {}

interface Settings {
  readonly port: number;
  readonly demo: boolean;
  readonly accessKey: string;
  readonly randomSeed: number;
  readonly quiet: boolean;
}

function readSettings(args: string[]): Settings | 'help' | 'version' {
  const values = parse(args);
  if (values.help === true) return 'help';
  if (values.version === true) return 'version';
  const accessKey = values['access-key'];
  if (!/^[\x21-\x7e]+$/.test(accessKey)) throw new UsageError('--access-key must be printable ASCII without spaces.');
  if (values.seed !== 'demo' && values.seed !== 'empty') throw new UsageError('--seed must be empty or demo.');
  return {
    port: wholeNumber('--port', values.port, 65_535),
    demo: values.seed === 'demo',
    accessKey,
    randomSeed: wholeNumber('--random-seed', values['random-seed'], 2 ** 31 - 1),
    quiet: values.quiet === true,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        port: { type: 'string', default: '8787' },
        seed: { type: 'string', default: 'empty' },
        'access-key': { type: 'string', default: 'test-key' },
        'random-seed': { type: 'string', default: '1' },
        quiet: { type: 'boolean' },
        version: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    // Node's own texts name the flag; what follows the first sentence explains how to write positional arguments.
    throw new UsageError(error instanceof Error ? (error.message.split('. ')[0] ?? '') : String(error));
  }
}

function wholeNumber(flag: string, text: string, max: number): number {
  if (!/^\d{1,10}$/.test(text) || Number(text) > max)
    throw new UsageError(`${flag} must be a whole number from 0 to ${String(max)}.`);
  return Number(text);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A package may name itself, so that the source and the built command find the same file. */
function readVersion(): string {
  const { version } = createRequire(import.meta.url)('social-publishing/package.json') as { version: string };
  return version;
}

function time(): string {
  return new Date().toTimeString().slice(0, 8);
}

function logRequest({ method, path, result, ms }: RequestLine): void {
  print(`${time()}  ${method.padEnd(6)} ${path}  ${String(result)}  ${ms.toFixed(0)} ms`);
}

/** Delivers over the network, and says so. */
async function deliverAndLog(request: Request): Promise<Response> {
  const what = `${time()}  event  ${request.headers.get('X-Service-Event-Type') ?? ''} to ${new URL(request.url).origin}`;
  try {
    const response = await fetch(request);
    print(`${what}  ${String(response.status)}`);
    return response;
  } catch (error) {
    print(`${what}  no reply`);
    throw error;
  }
}

async function serve(service: Emulator, { port, quiet }: Settings): Promise<ServedEmulator> {
  try {
    return await serveEmulator(service, {
      port,
      realTime: true,
      console: true,
      ...(quiet ? {} : { onRequest: logRequest }),
    });
  } catch (error) {
    const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
    if (code === 'EADDRINUSE')
      throw new UsageError(
        `Port ${String(port)} is in use by another program. Choose one with --port, or --port 0 for any free one.`,
      );
    if (code === 'EACCES')
      throw new UsageError(`Port ${String(port)} may not be used by this user. Choose one above 1023 with --port.`);
    throw error;
  }
}

async function run(args: string[]): Promise<void> {
  const settings = readSettings(args);
  if (settings === 'help') {
    process.stdout.write(help);
    return;
  }
  if (settings === 'version') {
    print(readVersion());
    return;
  }
  const { accessKey, randomSeed, quiet } = settings;
  const service = createEmulator({ accessKey, seed: randomSeed, ...(quiet ? {} : { deliver: deliverAndLog }) });
  const demo = settings.demo ? service.seed.demo() : undefined;
  const served = await serve(service, settings);
  // Before the first line: who waits for that line may stop the command at once.
  const stop = () => {
    // A second signal ends it the hard way, as it does where nothing listens.
    process.off('SIGINT', stop).off('SIGTERM', stop);
    void served.close().then(() => {
      // A delivery to a slow receiver would keep the process for up to 10 seconds more.
      process.stdout.write('Stopped.\n', () => process.exit(0));
    });
  };
  process.on('SIGINT', stop).on('SIGTERM', stop);
  print(`The emulator answers at ${served.url}`);
  print(`Access key: ${accessKey}`);
  if (demo !== undefined) {
    print(
      `Demo data: ${String(demo.integrations.length)} integrations, ${String(demo.posts.length)} posts, ${String(demo.conversations.length)} conversations, ${String(demo.automations.length)} automations`,
    );
    print(`Selection tokens: facebook ${demo.selections.facebook}, instagram ${demo.selections.instagram}`);
  }
  print('Press Ctrl-C to stop.');
}

// Who reads the output may stop reading, as `head` does: then nobody is left to serve.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

run(process.argv.slice(2)).catch((error: unknown) => {
  const usage = error instanceof UsageError;
  process.stderr.write(
    usage
      ? `${error.message}\nSee --help.\n`
      : `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = usage ? 2 : 1;
});
