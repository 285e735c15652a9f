/** Runs the commands that docs/cli.md shows, and returns the document with what they print. */
import { createEmulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { runCommand } from './cli.js';
import { temporaryFolder } from './temporary-folder.js';

/** When the document begins. `$ sleep 600` lets 10 minutes pass. */
const start = Date.parse('2027-02-01T08:00:00Z');
const settings = {
  SOCIAL_PUBLISHING_ACCESS_KEY: 'key-of-the-document',
  SOCIAL_PUBLISHING_WEBHOOK_SECRET: 'a-webhook-secret-of-the-document',
  NO_COLOR: '1',
  XDG_STATE_HOME: '/home/you/.local/state',
};
/** The address of the emulator's command. */
const shownUrl = 'http://127.0.0.1:8787';
/** The folder in which it saves a secret. */
const shownFolder = '/tmp/';

/** A block that begins with a command: each line with `$ ` is run, and what follows it is what it printed. */
const block = /^```text\n(\$ [\s\S]*?)^```$/gm;

/** Returns the document with the output that the commands print now. */
export async function transcribe(document: string): Promise<string> {
  let now = start;
  const service = createEmulator({ accessKey: settings.SOCIAL_PUBLISHING_ACCESS_KEY, now: () => start });
  service.seed.demo();
  const served = await serveEmulator(service, { console: true });
  const store = new MemoryDurableStore();
  const openFile = () => Promise.resolve({ store, close: () => undefined });
  const folder = `${temporaryFolder('cli-transcript')}/`;
  const run = async (line: string) => {
    const [, seconds] = /^sleep (\d+)$/.exec(line) ?? [];
    if (seconds !== undefined) {
      now += Number(seconds) * 1_000;
      await service.clock.advance({ seconds: Number(seconds) });
      return `$ ${line}\n`;
    }
    const { args, stdin } = readLine(line.replaceAll(shownFolder, folder));
    // The document shows a doubt under this key.
    if (args.includes('spring/lost') && args.includes('publish'))
      service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    const world = {
      env: { ...settings, SOCIAL_PUBLISHING_BASE_URL: served.url },
      stdin,
      tty: !args.includes('--json'),
      columns: 100,
    };
    const { out, err, code } = await runCommand(args, { ...world, now: () => now }, openFile);
    const text = `${out}${err}`
      .replaceAll(served.url, shownUrl)
      .replaceAll(folder, shownFolder)
      .replace(/127\.0\.0\.1_\d+-\w{8}\.db/g, '127.0.0.1_8787-5f2b0c11.db');
    return `$ ${line}\n${independent(text)}${code === 0 ? '' : `(exit code ${String(code)})\n`}`;
  };
  let written = '';
  let at = 0;
  for (const match of document.matchAll(block)) {
    const parts: string[] = [];
    for (const line of commandsOf(match[1] ?? '')) parts.push(await run(line));
    written += `${document.slice(at, match.index)}\`\`\`text\n${parts.join('')}\`\`\``;
    at = match.index + match[0].length;
  }
  await served.close();
  return written + document.slice(at);
}

/** The commands of a block, with continued lines joined. */
function commandsOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    if (!line.startsWith('$ ')) return [];
    let command = line.slice(2);
    for (let next = index + 1; command.endsWith('\\'); next += 1) command += `\n${lines[next] ?? ''}`;
    return [command];
  });
}

/** Splits a line as a shell does, as far as the document needs it: quotes, `echo … |`, and continued lines. */
function readLine(line: string): { args: string[]; stdin: string } {
  const found = line.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g);
  const words = [...found].map(([, quoted, plain]) => quoted ?? plain ?? '');
  const stdin = words[0] === 'echo' ? (words[1] ?? '') : '';
  return { args: words.slice(words.indexOf('social-publishing') + 1), stdin };
}

/** The text without what depends on the Node of this test: the words of a lost connection, and the line about Node. */
function independent(printed: string): string {
  const text = printed.replace(/(got no whole reply \(attempt 1\)): [^.]+\./g, '$1: read ECONNRESET.');
  const ok = 'ok       node: v24.21.0\n';
  if (!text.includes('has no node:sqlite')) return text.replace(/^ok {7}node: .*\n/m, ok);
  return text.replace(/^warning {2}node: .*\n.*\n/m, ok).replace('1 problem, 1 warning.', '1 problem, 0 warnings.');
}
