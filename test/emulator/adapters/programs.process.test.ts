import { execFile, spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/index.js';
import { serveEmulator } from '../../../src/emulator/adapters/node.js';

const run = promisify(execFile);

/** Programs in other languages, with only their standard libraries. */
const programs = [
  ['python3', 'schedule.py', /post_1 was published; its webhook came 3 times, well signed\./],
  ['php', 'schedule.php', /post_1 was published; delivery_1 told of it\./],
] as const;

for (const [command, file, says] of programs) {
  const there = spawnSync(command, ['--version']).status === 0;
  it.skipIf(!there)(`${file} drives the emulator${there ? '' : `: skipped, ${command} is not installed`}`, async () => {
    const served = await serveEmulator(createEmulator(), { console: true, realTime: true });
    try {
      const path = fileURLToPath(new URL(`../../../examples/control-api/${file}`, import.meta.url));
      expect((await run(command, [path, served.url])).stdout).toMatch(says);
    } finally {
      await served.close();
    }
  });
}
