import type { Command } from 'commander';
import { runEmulator } from '../emulator/adapters/cli/command.js';
import type { ExitCode } from './exit-codes.js';
import { newCommand } from './program.js';
import type { Session } from './session.js';

/** `emulator`: it reads its own options, and prints its own help. */
export function emulatorCommand(session: Session): Command {
  return newCommand('emulator', 'Runs the service in memory.', 'social-publishing emulator --seed demo --open')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[arguments...]')
    .action(async (args: string[]) => {
      session.exitCode = await serve(args);
    });
}

async function serve(args: string[]): Promise<ExitCode> {
  const result = await runEmulator(args);
  // A signal ends the process once the emulator has stopped.
  return result === 'serving' ? new Promise<never>(() => undefined) : result;
}
