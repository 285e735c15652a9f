import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import type { Session } from './session.js';

/** Creates a command. Its help ends with an example. */
export function newCommand(name: string, description: string, example: string): Command {
  return new Command(name).description(description).addHelpText('after', `\nExample:\n${example.replace(/^/gm, '  ')}`);
}

/** The options that several commands share. */
const sharedOptions = {
  sendAhead: [['--send-ahead <duration>', 'keep it until 10m, 2h, … before its time; intents sweep sends it']],
  dryRun: [['--dry-run', 'print the request, and send nothing']],
  /** A dry run that also checks the posts. */
  checkedDryRun: [
    ['--dry-run', 'print the request, and what preflight finds; change nothing'],
    ['--no-preflight', 'with --dry-run: send no request at all'],
  ],
  confirmation: [['--yes', 'do not ask for confirmation']],
  /** Of each command that prints a result. */
  format: [
    ['--json', 'print JSON, also on a terminal'],
    ['--ndjson', 'print JSON, one line per item'],
  ],
  /** Of each command that calls the service. */
  service: [
    ['--base-url <url>', 'the service; else SOCIAL_PUBLISHING_BASE_URL'],
    ['--access-key-file <file>', 'file with the key; else SOCIAL_PUBLISHING_ACCESS_KEY'],
  ],
  /** Of each command that keeps something. */
  store: [['--store <store>', 'a SQLite file or a URL; else SOCIAL_PUBLISHING_STORE']],
} as const;

/** The help shows these options last. */
const commonOptions = new Set<string>(['format', 'service', 'store']);

export function withOptions(command: Command, ...groups: readonly (keyof typeof sharedOptions)[]): Command {
  for (const group of groups) {
    for (const [flags, description] of sharedOptions[group]) {
      const option = new Option(flags, description);
      command.addOption(commonOptions.has(group) ? option.helpGroup('Common options:') : option);
    }
  }
  return command;
}

/** Collects a repeated option. */
export function collect(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}

/** The options of a command that choose its store. Neither can contain a password: such an option is refused. */
export function storeOptions(session: Session): string {
  const store = session.text('store');
  // The user may run the next command in another folder.
  const place = store === undefined || store.includes('://') ? store : resolve(store);
  const options = optionsOf({ '--store': place, '--base-url': session.text('baseUrl') });
  return options === '' ? '' : ` ${options}`;
}

/** Options as a shell reads them, without those that have no value. */
export function optionsOf(options: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(options)
    .flatMap(([option, value]) => {
      if (value === undefined) return [];
      return [`${option}${value.startsWith('-') ? '=' : ' '}${quoted(value)}`];
    })
    .join(' ');
}

/**
 * A command for the intent of a key, as a shell reads it. The command would read a key that begins with `-` as an option.
 * @param options further options, with a space before each
 */
export function intentLine(verb: 'cancel' | 'edit' | 'resolve' | 'show', key: string, options: string): string {
  const words = key.startsWith('-') ? `${options} -- ${quoted(key)}` : ` ${quoted(key)}${options}`;
  return `social-publishing intents ${verb}${words}`;
}

/** A word as a shell reads it. */
export function quoted(text: string): string {
  return /^[\w./:-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
