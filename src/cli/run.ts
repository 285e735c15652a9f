import { Command, CommanderError } from 'commander';
import { version } from '../core/package.js';
import { CommandError, exitCodes, type ExitCode } from './errors.js';
import { Session } from './session.js';
import type { World } from './output.js';
import type { ResourceSummary } from './commands/resource.js';
import { newCommand } from './options.js';

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

/** A command that is loaded when it is used. */
interface OwnCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: (session: Session) => Promise<Command>;
}

const ownCommands: readonly OwnCommand[] = [
  {
    name: 'publish',
    summary: 'publish once per key, even after a crash',
    load: async (session) => (await import('./commands/publish.js')).publishCommand(session),
  },
  {
    name: 'campaign',
    summary: 'schedule the rows of a table, each once',
    load: async (session) => (await import('./commands/campaign.js')).campaignCommand(session),
  },
  {
    name: 'intents',
    summary: 'list, count, show, resolve, sweep and prune what was published',
    load: async (session) => (await import('./commands/intents.js')).intentsCommand(session),
  },
  {
    name: 'webhooks',
    summary: 'verify, sign and trigger events, or listen to them',
    load: async (session) => (await import('./commands/webhooks.js')).webhooksCommand(session),
  },
  {
    name: 'new',
    summary: 'copy an example program into this folder',
    load: async (session) => (await import('./commands/new.js')).newProgramCommand(session),
  },
  {
    name: 'doctor',
    summary: 'check the settings: what is wrong, and how to fix it',
    load: async (session) => (await import('./commands/doctor.js')).doctorCommand(session),
  },
  {
    name: 'mcp',
    summary: 'serve tools for agents (Model Context Protocol)',
    load: async (session) => (await import('./commands/mcp.js')).mcpCommand(session),
  },
  {
    name: 'completion',
    summary: 'print a script for bash, zsh or fish',
    load: async (session) =>
      (await import('./commands/completion.js')).completionCommand(session, () => loadEverything(session)),
  },
  {
    name: 'emulator',
    summary: 'run the service in memory, with a console',
    load: (session) => Promise.resolve(emulatorCommand(session)),
  },
];

/** All commands, with their options. */
async function loadEverything(session: Session): Promise<Command[]> {
  const { resourceCommand } = await import('./commands/resource.js');
  const found = resources.map((resource) => resourceCommand(session, resource));
  return [...found, ...(await Promise.all(ownCommands.map(({ load }) => load(session))))];
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
  const own = ownCommands.find((command) => command.name === name);
  if (own !== undefined) return program.addCommand(await own.load(session));
  const resource = resources.find((known) => known.name === name);
  if (resource !== undefined) {
    const { resourceCommand } = await import('./commands/resource.js');
    return program.addCommand(resourceCommand(session, resource));
  }
  program.commandsGroup('Resources:');
  for (const { name: known, summary } of resources) program.command(known).summary(summary);
  program.commandsGroup('More:');
  for (const { name: known, summary } of ownCommands) program.command(known).summary(summary);
  return program.helpCommand(false);
}

/** Applies the same settings to a command and all commands below it. */
function prepare(command: Command, session: Session): void {
  const { output, world } = session;
  if (command.name() !== 'emulator') command.helpOption('-h, --help', 'print this help');
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
