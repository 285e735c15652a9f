import { Command, Option } from 'commander';

/** Creates a command. Its help ends with an example. */
export function newCommand(name: string, description: string, example: string): Command {
  return new Command(name).description(description).addHelpText('after', `\nExample:\n${indented(example)}`);
}

function indented(text: string): string {
  return text.replace(/^/gm, '  ');
}

const common = 'Common options:';

export function withFormat(command: Command): Command {
  return command
    .addOption(new Option('--json', 'print JSON, also on a terminal').helpGroup(common))
    .addOption(new Option('--ndjson', 'print JSON, one line per item').helpGroup(common));
}

/** Adds the options of every command that calls the service and prints a result. */
export function withConnection(command: Command): Command {
  return withService(withFormat(command));
}

export function withService(command: Command): Command {
  return command
    .addOption(new Option('--base-url <url>', 'the service; else SOCIAL_PUBLISHING_BASE_URL').helpGroup(common))
    .addOption(
      new Option('--access-key-file <file>', 'file with the key; else SOCIAL_PUBLISHING_ACCESS_KEY').helpGroup(common),
    );
}

/** Adds the option of every command that keeps something. */
export function withStore(command: Command): Command {
  return command.addOption(
    new Option('--store <store>', 'a SQLite file or a URL; else SOCIAL_PUBLISHING_STORE').helpGroup(common),
  );
}

export function withDryRun(command: Command): Command {
  return command.option('--dry-run', 'print the request, and send nothing');
}

export function withConfirmation(command: Command): Command {
  return command.option('--yes', 'do not ask for confirmation');
}

/** Collects a repeated option. */
export function collect(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}
