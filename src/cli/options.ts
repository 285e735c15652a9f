import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { textOf, type Values } from './session.js';

/** Creates a command. Its help ends with an example. */
export function newCommand(name: string, description: string, example: string): Command {
  return new Command(name).description(description).addHelpText('after', `\nExample:\n${example.replace(/^/gm, '  ')}`);
}

function common(flags: string, description: string): Option {
  return new Option(flags, description).helpGroup('Common options:');
}

export function withFormat(command: Command): Command {
  return command
    .addOption(common('--json', 'print JSON, also on a terminal'))
    .addOption(common('--ndjson', 'print JSON, one line per item'));
}

/** Adds the options of every command that calls the service and prints a result. */
export function withConnection(command: Command): Command {
  return withService(withFormat(command));
}

export function withService(command: Command): Command {
  return command
    .addOption(common('--base-url <url>', 'the service; else SOCIAL_PUBLISHING_BASE_URL'))
    .addOption(common('--access-key-file <file>', 'file with the key; else SOCIAL_PUBLISHING_ACCESS_KEY'));
}

/** Adds the option of every command that keeps something. */
export function withStore(command: Command): Command {
  return command.addOption(common('--store <store>', 'a SQLite file or a URL; else SOCIAL_PUBLISHING_STORE'));
}

export function withDryRun(command: Command): Command {
  return command.option('--dry-run', 'print the request, and send nothing');
}

/** Adds the options of a dry run that also checks the posts. */
export function withCheckedDryRun(command: Command): Command {
  return command
    .option('--dry-run', 'print the request, and what preflight finds; change nothing')
    .option('--no-preflight', 'with --dry-run: send no request at all');
}

export function withSendAhead(command: Command): Command {
  return command.option('--send-ahead <duration>', 'keep it until 10m, 2h, … before its time; intents sweep sends it');
}

export function withConfirmation(command: Command): Command {
  return command.option('--yes', 'do not ask for confirmation');
}

/** Collects a repeated option. */
export function collect(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** The options of a command that choose its store. Neither can contain a password: such an option is refused. */
export function storeOptions(values: Values): string {
  const store = textOf(values, 'store');
  // The user may run the next command in another folder.
  const place = store === undefined || store.includes('://') ? store : resolve(store);
  const options = optionsOf({ '--store': place, '--base-url': textOf(values, 'baseUrl') });
  return options === '' ? '' : ` ${options}`;
}

/** Options as a shell reads them, without those that have no value. */
export function optionsOf(options: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(options)
    .flatMap(([option, value]) => (value === undefined ? [] : [`${option} ${quoted(value)}`]))
    .join(' ');
}

/** A word as a shell reads it. */
export function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
