import { Command, CommanderError, Option } from 'commander';
import { version } from '../core/package.js';
import { CommandError, exitCodes, type ExitCode } from './errors.js';
import { newCommand, Session } from './command.js';
import type { World } from './output.js';
import type { ResourceSummary } from './commands/resource.js';

/** The resources of the client, for the first page of help: it starts without the schemas. A test compares the names. */
export const resources: readonly ResourceSummary[] = [
  { name: 'posts', summary: 'create, list and edit posts' },
  { name: 'comments', summary: 'read comments on posts' },
  { name: 'messages', summary: 'read and send direct messages of Instagram accounts' },
  { name: 'automations', summary: 'comment automations and their logs' },
  { name: 'analytics', summary: 'numbers of posts and accounts; calls cost credits' },
  { name: 'notifications', summary: 'subscribe to events of posts' },
  { name: 'integrations', summary: 'connected accounts' },
  { name: 'apps', summary: 'your own OAuth apps' },
];

/** The summaries of the other commands. */
const ownCommands = {
  publish: 'publish once per key, even after a crash',
  campaign: 'schedule the rows of a table, each once',
  intents: 'list, count, show, resolve, sweep and prune what was published',
  webhooks: 'verify, sign and trigger events, or listen to them',
  new: 'copy an example program into this folder',
  doctor: 'check the settings: what is wrong, and how to fix it',
  mcp: 'serve tools for agents (Model Context Protocol)',
  completion: 'print a script for bash, zsh or fish',
  emulator: 'run the service in memory, with a console',
};

/** A command is loaded when it is used. */
const loaders: Readonly<Record<keyof typeof ownCommands, (session: Session) => Command | Promise<Command>>> = {
  publish: async (session) => (await import('./commands/publish.js')).publishCommand(session),
  campaign: async (session) => (await import('./commands/campaign.js')).campaignCommand(session),
  intents: async (session) => (await import('./commands/intents.js')).intentsCommand(session),
  webhooks: async (session) => (await import('./commands/webhooks.js')).webhooksCommand(session),
  new: async (session) => (await import('./commands/new.js')).newProgramCommand(session),
  doctor: async (session) => (await import('./commands/doctor.js')).doctorCommand(session),
  mcp: async (session) => (await import('./commands/mcp.js')).mcpCommand(session),
  completion: async (session) =>
    (await import('./commands/completion.js')).completionCommand(session, () => loadEverything(session)),
  emulator: emulatorCommand,
};

/** All commands, with their options. */
async function loadEverything(session: Session): Promise<Command[]> {
  const { resourceCommand } = await import('./commands/resource.js');
  const found = resources.map((resource) => resourceCommand(session, resource));
  return [...found, ...(await Promise.all(Object.values(loaders).map(async (load) => load(session))))];
}

/** Runs the command with these arguments, and returns its exit code. It never rejects. */
export async function run(argv: readonly string[], world: World): Promise<ExitCode> {
  const session = new Session(world, argv);
  // An error in the arguments themselves follows the option, too.
  session.output.errorsAsJson = argv.includes('--json') || argv.includes('--ndjson');
  try {
    if (argv[0] === '--version' || argv[0] === '-V') session.output.line(version);
    else await parse(argv, session);
    await checkOutput(session);
    return session.exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return reportArguments(session, error);
    const { reportError } = await import('./report-error.js');
    return reportError(session, error);
  }
}

/** @throws CommandError the result is lost, for example because the disk is full */
async function checkOutput({ world, exitCode, isRepeatable }: Session): Promise<void> {
  const error = await world.flush?.();
  if (error === undefined) return;
  const message = `The result could not be written: ${error.message}.`;
  if (exitCode !== exitCodes.success) throw new CommandError(message, exitCode);
  throw isRepeatable
    ? new CommandError(message, exitCodes.failure, 'Run the command again.')
    : new CommandError(message, exitCodes.inDoubt, 'The request was executed: do not repeat it.');
}

async function parse(argv: readonly string[], session: Session): Promise<void> {
  const program = await programFor(argv, session);
  prepare(program, session);
  await program.parseAsync([...argv], { from: 'user' });
}

/** The program with the commands that these arguments need: the others are only named. */
async function programFor(argv: readonly string[], session: Session): Promise<Command> {
  const program = new Command('social-publishing')
    .description('Publishes posts, and reads everything around them.')
    .usage('<command> [options]')
    .version(version, '--version', 'print the version')
    .addHelpText('after', '\nExample:\n  social-publishing posts list --status scheduled --limit 10');
  const [name = ''] = argv.filter((arg) => !arg.startsWith('-'));
  const load = Object.entries(loaders).find(([known]) => known === name)?.[1];
  if (load !== undefined) return program.addCommand(await load(session));
  const resource = resources.find((known) => known.name === name);
  if (resource !== undefined) {
    const { resourceCommand } = await import('./commands/resource.js');
    return program.addCommand(resourceCommand(session, resource));
  }
  program.commandsGroup('Resources:');
  for (const { name: known, summary } of resources) program.command(known).summary(summary);
  program.commandsGroup('More:');
  for (const [known, summary] of Object.entries(ownCommands)) program.command(known).summary(summary);
  return program.helpCommand(false);
}

/** Applies the same settings to a command and all commands below it. */
function prepare(command: Command, session: Session): void {
  const { output, world } = session;
  // Help prints the groups in the order of their first options, and this option must not open a group of its own.
  const group = command.options[0]?.helpGroupHeading ?? 'Options:';
  if (command.name() !== 'emulator')
    command.addHelpOption(new Option('-h, --help', 'print this help').helpGroup(group));
  command.exitOverride().configureOutput({
    writeOut: (text) => {
      output.write(text);
    },
    // reportArguments writes the message of an error. If a command is missing, its help names the commands.
    writeErr: (text) => {
      if (text.startsWith('Usage: ')) output.note(text.trimEnd());
    },
    getOutHelpWidth: () => Math.min(100, world.stdout.columns ?? 80),
    getOutHasColors: () => output.hasColour,
  });
  if (command.commands.length > 0) command.helpCommand(false);
  for (const inner of command.commands) prepare(inner, session);
}

function reportArguments({ output }: Session, { code, message, exitCode }: CommanderError): ExitCode {
  if (exitCode === 0) return exitCodes.success;
  const text =
    code === 'commander.help'
      ? 'The command is missing.'
      : withoutValue(message.replace(/^error: /, '').replace('\n', ' '));
  if (output.errorsAsJson)
    output.error(JSON.stringify({ error: { name: 'UsageError', message: text, exitCode: exitCodes.usage } }));
  else output.error(`${text}\nSee --help.`);
  return exitCodes.usage;
}

/** An unknown option or an extra argument may contain a secret: `--access-key=…`. */
function withoutValue(message: string): string {
  return message.replace(/^(unknown option '--?[\w-]+)=.*'(?= \(Did|$)/s, "$1'").replace(/( but got \d+): .*$/s, '$1.');
}

/** `emulator`: it reads its own options, and prints its own help. */
function emulatorCommand(session: Session): Command {
  return newCommand('emulator', 'Runs the service in memory.', 'social-publishing emulator --seed demo --open')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[arguments...]')
    .action(async () => {
      // Commander removes --, which ends the options of `exec`.
      const args = session.argv.slice(session.argv.indexOf('emulator') + 1);
      const { runEmulator } = await import('../emulator/adapters/cli/command.js');
      const result = await runEmulator(args);
      // A signal ends the process once the emulator has stopped.
      if (result === 'serving') await new Promise<never>(() => undefined);
      // `emulator exec` ends with the code of another program, and the process accepts every number.
      session.exitCode = result as ExitCode;
    });
}
