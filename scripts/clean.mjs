// Removes the folders given, so that a build never leaves files of an earlier one in the package.
import { rmSync } from 'node:fs';

for (const folder of process.argv.slice(2)) rmSync(folder, { recursive: true, force: true });
