import type { Command } from 'commander';
import { endpoints } from '../resources/endpoints.js';
import { addFields, fieldOptions } from './fields.js';
import { newCommand, withConfirmation, withConnection, withDryRun, withStore } from './program.js';
import { onRun, type Session } from './session.js';

export function publishCommand(session: Session): Command {
  const fields = fieldOptions(endpoints.posts.create);
  const command = newCommand(
    'publish',
    'Publishes a post once per key, even after a crash. After exit 1 or 4, the same command is safe: after 4, it only ' +
      'searches. Never use another key. After 2, 3 or 5, fix the cause first.',
    "social-publishing publish --key spring/teaser --content 'Hello' \\\n  --target bluesky:integration_7 --scheduled-for 2027-03-01T09:00:00Z",
  ).requiredOption('--key <key>', 'the same key again never publishes twice');
  addFields(command, fields);
  command
    .option('--body <file>', 'JSON with the fields; - for stdin')
    .option('--extra-body <file>', 'JSON with fields that the API document does not show');
  withStore(withConnection(withConfirmation(withDryRun(command))));
  return onRun(command, session, async (values) => {
    const { runPublish } = await import('./run-publish.js');
    return runPublish(session, values, fields);
  });
}
