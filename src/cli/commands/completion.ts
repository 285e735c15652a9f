import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { newCommand, onRun, type Session } from '../command.js';

/** A command with its options and the commands below it. */
interface Words {
  /** `posts create` */
  readonly path: string;
  readonly summary: string;
  readonly options: readonly string[];
  readonly commands: readonly string[];
}

/** `completion`: a script for the shell. */
export function completionCommand(session: Session, loadAll: () => Promise<readonly Command[]>): Command {
  const command = newCommand(
    'completion',
    'Prints a script that completes commands and options.\n' +
      'Bash: add the example to ~/.bashrc. Zsh: save it as _social-publishing in a folder of fpath.\n' +
      'Fish: save it as ~/.config/fish/completions/social-publishing.fish.',
    'eval "$(social-publishing completion bash)"',
  ).argument('<shell>', 'bash, zsh or fish');
  return onRun(command, session, async (_, [shell = '']) => {
    const script = { bash, zsh, fish }[shell];
    if (script === undefined) throw new UsageError('The shell must be bash, zsh or fish.');
    session.output.write(script(wordsOf(await loadAll())));
    return undefined;
  });
}

/** The words of each command, two levels deep. */
function wordsOf(commands: readonly Command[]): Words[] {
  const one = (command: Command, parent = ''): Words[] => {
    const path = `${parent} ${command.name()}`.trim();
    const own: Words = {
      path,
      summary: (command.summary() || command.description()).split('\n')[0] ?? '',
      options: [...command.options.map(({ long }) => long ?? ''), '--help'].filter(Boolean),
      commands: command.commands.map((inner) => inner.name()),
    };
    return [own, ...command.commands.flatMap((inner) => one(inner, path))];
  };
  return commands.flatMap((command) => one(command));
}

function next({ commands, options }: Words): string {
  return (commands.length > 0 ? commands : options).join(' ');
}

function firstWords(all: readonly Words[]): string {
  return [...all.filter(({ path }) => !path.includes(' ')).map(({ path }) => path), '--help', '--version'].join(' ');
}

/** The commands whose second word is a command too, not a file. */
function groupsOf(all: readonly Words[]): string {
  return all.flatMap(({ commands, path }) => (commands.length > 0 ? [path] : [])).join(' ');
}

function bash(all: readonly Words[]): string {
  const cases = all.map((words) => `    '${words.path}') words='${next(words)}' ;;`);
  return `_social_publishing() {
  local words='' path="\${COMP_WORDS[1]}"
  [[ $COMP_CWORD -gt 2 && ' ${groupsOf(all)} ' == *" $path "* ]] && path="$path \${COMP_WORDS[2]}"
  [[ $COMP_CWORD -eq 1 ]] && path=''
  case "$path" in
    '') words='${firstWords(all)}' ;;
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
  [[ \${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _social_publishing social-publishing
`;
}

function zsh(all: readonly Words[]): string {
  const cases = all.map((words) => `    '${words.path}') names='${next(words)}' ;;`);
  return `#compdef social-publishing
_social_publishing() {
  local names='' path_="$words[2]"
  (( CURRENT > 3 )) && [[ ' ${groupsOf(all)} ' == *" $path_ "* ]] && path_="$path_ $words[3]"
  (( CURRENT == 2 )) && path_=''
  case "$path_" in
    '') names='${firstWords(all)}' ;;
${cases.join('\n')}
  esac
  compadd -- \${=names} || _files
}
compdef _social_publishing social-publishing
`;
}

function fish(all: readonly Words[]): string {
  const quote = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const lines = all.flatMap(({ path, summary, options }) => {
    const [parent = '', child] = path.split(' ');
    const name =
      child === undefined
        ? `-n __fish_use_subcommand -a ${parent}`
        : `-n '__fish_seen_subcommand_from ${parent}' -a ${child}`;
    const seen = path
      .split(' ')
      .map((word) => `__fish_seen_subcommand_from ${word}`)
      .join('; and ');
    return [
      `complete -c social-publishing ${name} -d ${quote(summary)}`,
      ...options.map((option) => `complete -c social-publishing -n '${seen}' -l ${option.replace(/^--/, '')}`),
    ];
  });
  return `complete -c social-publishing -f\n${lines.join('\n')}\n`;
}
