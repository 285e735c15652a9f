import { constants, existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { codeOf } from '../../core/error-code.js';
import { CommandError, UsageError, exitCodes, type ExitCode } from '../errors.js';
import { newCommand, onRun, type Session } from '../command.js';

/** `new`: copies a program of this package. */
export function newProgramCommand(session: Session): Command {
  const command = newCommand(
    'new',
    'Copies a program of this package into the current folder. It never overwrites a file. Without an argument, it lists the programs.',
    'social-publishing new token-health\nnpx tsx token-health.ts --days 14',
  ).argument('[program]', 'the name of a program');
  return onRun(command, session, runNew, 'format');
}

async function runNew({ output }: Session, [program]: readonly string[]): Promise<ExitCode> {
  const programs = readPrograms();
  if (program === undefined) {
    // A table would cut the descriptions.
    if (output.format === 'text')
      for (const { name, description } of programs) output.line(`${name.padEnd(20)}${description}`);
    else await output.list(programs.map(({ name, description }) => ({ name, description })));
    return exitCodes.success;
  }
  const found = programs.find(({ name }) => name === basename(program, '.ts'));
  if (found === undefined)
    throw new UsageError(
      `There is no program '${program}'. The programs are ${programs.map(({ name }) => name).join(', ')}. ` +
        'Longer examples, such as bullmq, are folders of node_modules/social-publishing/examples: copy them.',
    );
  const file = `${found.name}.ts`;
  try {
    await copyFile(found.url, file, constants.COPYFILE_EXCL);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST') throw new CommandError(`${file} exists already. Nothing was written.`);
    throw new CommandError(`${file} cannot be written: ${code || String(error)}.`);
  }
  const next = `${moduleSteps()}npm install social-publishing && npx tsx ${file} --help`;
  output.result({ file, next }, `${file} was written. Run: ${next}`);
  return exitCodes.success;
}

/** Returns the steps that make the files of the current folder ES modules: the programs await at the top level. */
function moduleSteps(): string {
  const setType = 'npm pkg set type=module && ';
  for (let folder = process.cwd(); ; folder = dirname(folder)) {
    const file = join(folder, 'package.json');
    if (existsSync(file)) return isModulePackage(readFileSync(file, 'utf8')) ? '' : setType;
    if (folder === dirname(folder)) return `npm init -y && ${setType}`;
  }
}

/** A file that is not JSON stops npm, which names the problem. */
function isModulePackage(text: string): boolean {
  try {
    const read = JSON.parse(text) as { readonly type?: unknown } | null;
    return read?.type === 'module';
  } catch {
    return false;
  }
}

/** Reads the programs of the package, wherever the build put this module. */
function readPrograms(): { readonly name: string; readonly description: string; readonly url: URL }[] {
  let folder = new URL('.', import.meta.url);
  const programsIn = (root: URL) => new URL('examples/programs/', root);
  while (!existsSync(programsIn(folder)) && folder.pathname !== '/') folder = new URL('..', folder);
  return readdirSync(fileURLToPath(programsIn(folder)))
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .map((file) => {
      const url = new URL(file, programsIn(folder));
      const [, description = ''] = /^\/\*\*\s+\* ([^]*?\.)(?:\s|$)/.exec(readFileSync(url, 'utf8')) ?? [];
      return { name: basename(file, '.ts'), description: description.replace(/\r?\n \* /g, ' '), url };
    });
}
