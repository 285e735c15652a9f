import { Option, type Command } from 'commander';
import { newCommand, withConfirmation, withConnection, withDryRun, withStore } from './program.js';
import { onRun, type Session } from './session.js';

const choices = ['earlier', 'later'];

/** `campaign`: schedules the rows of a table, each once. */
export function campaignCommand(session: Session): Command {
  const command = newCommand(
    'campaign',
    'Schedules the rows of a table, each once. After a crash, run it again: it continues.\n' +
      'Columns: key, content, time (2030-03-29T09:00), zone (Europe/Berlin), targets (platform:accountId …).',
    'social-publishing campaign campaign.csv --dry-run\nsocial-publishing campaign campaign.csv --wait',
  )
    .argument('<file>', 'the table as CSV; - for stdin')
    .option('--name <name>', 'the start of every key; default: the name of the file')
    .option('--concurrency <n>', 'requests at the same time; default 4')
    .addOption(new Option('--gap <choice>', 'for times that clocks skip; default: a problem').choices(choices))
    .addOption(new Option('--overlap <choice>', 'for times that clocks repeat; default: a problem').choices(choices))
    .option('--wait', 'wait for rows that another process is sending');
  withStore(withConnection(withConfirmation(withDryRun(command))));
  return onRun(command, session, async (values, args) => {
    // Loads the client only if the command runs, so that help starts fast.
    const { runCampaign } = await import('./run-campaign.js');
    return runCampaign(session, values, args);
  });
}
