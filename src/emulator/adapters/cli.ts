#!/usr/bin/env node
import { runEmulator } from './cli/command.js';

// Who reads the output may stop reading, as `head` does: then nobody is left to serve.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const result = await runEmulator(process.argv.slice(2), 'social-publishing-emulator');
if (result !== 'serving') process.exitCode = result;
