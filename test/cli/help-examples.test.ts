import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { kebab } from '../../src/cli/session.js';
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
