#!/usr/bin/env node
import { runEmulator } from './cli/command.js';

// The reader of the output may close it, as `head` does. Then the command ends.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const result = await runEmulator(process.argv.slice(2), 'social-publishing-emulator');
if (result !== 'serving') process.exitCode = result;
