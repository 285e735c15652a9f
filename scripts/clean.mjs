// Removes the passed folders, so the package contains no files of an earlier build.
import { rmSync } from 'node:fs';

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
