import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * Makes a folder for files of tests. It ends with the test; with `afterAll` as the second argument, it ends with the
 * tests of the file.
 */
export function temporaryFolder(name: string, after: (remove: () => void) => void = onTestFinished): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}
