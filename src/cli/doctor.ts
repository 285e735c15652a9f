import type { Command } from 'commander';
import { newCommand, withConnection, withStore } from './program.js';
import { onRun, type Session } from './session.js';

/** Creates the command `doctor`: finds problems of the settings, and explains how to fix them. */
export function doctorCommand(session: Session): Command {
  const command = newCommand(
    'doctor',
    'Checks the environment, the access key, the clock, the accounts and the store. Sends only reads.',
    'social-publishing doctor',
  );
  return onRun(withStore(withConnection(command)), session, async (values) => {
    // Loads the client only if the command runs, so that help starts fast.
    const { runDoctor } = await import('./run-doctor.js');
    return runDoctor(session, values);
  });
}
