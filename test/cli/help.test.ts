import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { fieldOptions } from '../../src/cli/fields.js';
import { kebab } from '../../src/cli/command.js';
import { allOperations } from '../../src/cli/commands/resource.js';
import { createEmulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';
import { MemoryDurableStore } from '../../src/publisher/index.js';
import { accessKey, runCommand } from '../support/cli.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const now = () => Date.parse('2027-02-01T08:00:00Z');

const folder = temporaryFolder('cli', afterAll);

/** The arguments of the example that ends a help, as a shell reads them. */
async function exampleOf(command: readonly string[]): Promise<string[]> {
  const { out } = await runCommand([...command, '--help']);
  const [, example = ''] = /\nExample:\n +social-publishing ([^]*)$/.exec(out) ?? [];
  const words = [...example.replaceAll('\\\n', ' ').matchAll(/'([^']*)'|(\S+)/g)];
  const args = words.map(([, quoted, word]) => quoted ?? word ?? '');
  return [...args, ...(out.includes('--yes') ? ['--yes'] : [])];
}

/** The names of these fields describe them. */
const plainFields = allOperations()
  .flatMap(({ endpoint }) => fieldOptions(endpoint))
  .flatMap(({ option }) => (option.description === '' ? [option.flags] : []));

/** The rows of a section: what a row is about, and its description. */
function rowsOf(help: string, section: RegExp): [term: string, description: string][] {
  return help
    .split(/\n\n/)
    .filter((part) => section.test(part))
    .flatMap((part) => [...part.matchAll(/^ {2}(\S.*?)(?: {2,}(\S.*))?$/gm)])
    .map(([, term = '', description = '']) => [term, description]);
}

/** Checks the help of a command, and of all commands below it. Returns their number. */
async function checkHelp(path: readonly string[]): Promise<number> {
  const name = ['social-publishing', ...path].join(' ');
  const narrow = await runCommand([...path, '--help'], { columns: 80 });
  expect([name, narrow.code, narrow.err]).toEqual([name, 0, '']);
  // It fits a screen.
  expect(narrow.out.trimEnd().split('\n').length, name).toBeLessThanOrEqual(40);
  const { out } = await runCommand([...path, '--help'], { columns: 200 });
  const [, usage = '', about = ''] = /^Usage: (.*)\n\n([^]*?)\n\n/.exec(out) ?? [];
  expect(usage).toMatch(new RegExp(`^${name} `));
  expect([name, about]).toEqual([name, expect.stringMatching(/^[A-Z][^]*\.$/)]);
  const rows = rowsOf(out, /^(?!Example)[\w ]+:\n {2}/);
  const described = rows.filter(([, description]) => description !== '').map(([term]) => term);
  const silent = rows.map(([term]) => term).filter((term) => !described.includes(term) && !plainFields.includes(term));
  expect([name, silent]).toEqual([name, []]);
  // `<key>` is described by the command.
  const [shown = ''] = usage.match(/(?<=\[options\] ).*/) ?? [];
  const args = shown.split(/[^\w-]+/).filter((word) => !['', 'key', 'command'].includes(word));
  expect(described).toEqual(expect.arrayContaining(args));
  expect([name, out]).toEqual([name, expect.not.stringMatching(/\nCommon options:[^]*\nOptions:/)]);
  const examples = out.slice(out.indexOf('\nExample:\n')).match(/^ {2}(?! {4})\S.*$/gm) ?? [];
  expect(examples.join('\n')).toContain(`social-publishing ${path.join(' ')}`);
  const inner = rowsOf(out, /^(?:Commands|Resources|More):\n/).map(([term]) => term.split(' ')[0] ?? '');
  let count = 1;
  for (const command of inner) if (command !== 'emulator') count += await checkHelp([...path, command]);
  return count;
}

it('the help of each command fits a screen, describes its arguments and options, and ends with an example', async () => {
  expect(await checkHelp([])).toBeGreaterThan(50);
});

it('the help of the emulator comes from its own program', async () => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    expect((await runCommand(['emulator', '--help'])).code).toBe(0);
    expect(write.mock.calls.join('')).toContain('Usage: social-publishing emulator');
  } finally {
    write.mockRestore();
  }
});

// The others read a secret from a file that the example names.
const runnable = allOperations().filter(({ endpoint }) => endpoint.secrets === undefined);

it.each([...runnable.map(({ resource, method }) => [[resource, kebab(method)]]), [['publish']]])(
  'the example in the help of %j works with the demo emulator',
  async (command) => {
    const demo = createEmulator({ accessKey, now });
    demo.seed.demo();
    const served = await serveEmulator(demo);
    const example = await exampleOf(command);
    expect(example.slice(0, command.length)).toEqual(command);
    const args = example.map((arg) => (arg === 'secret.txt' ? join(folder, arg) : arg));
    const env = { SOCIAL_PUBLISHING_BASE_URL: served.url, SOCIAL_PUBLISHING_ACCESS_KEY: accessKey };
    const openFile = () => Promise.resolve({ store: new MemoryDurableStore(), close: () => undefined });
    const { code, out, err } = await runCommand(args, { env, now }, openFile);
    expect({ code, err }).toMatchObject({ code: 0 });
    // An empty list is a poor example.
    expect(out).not.toBe('[]\n');
    await served.close();
  },
);
