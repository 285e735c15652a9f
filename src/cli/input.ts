import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { codeOf } from '../core/error-code.js';
import { isFields, type Fields } from '../core/json.js';
import { UsageError, NotConfirmedError } from './errors.js';
import type { World } from './output.js';
import { readFields, type FieldOption } from './fields.js';
import { kebab, type Session } from './command.js';
import { createInterface } from 'node:readline/promises';

/** Reads a file, or stdin for `-`. Text in another encoding than UTF-8 would be published with wrong characters. */
export async function readText(world: World, file: string, option: string): Promise<string> {
  const bytes = await readBytes(world, file, option);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new UsageError(`${option}: '${file}' is not UTF-8. Save it as UTF-8.`);
  }
}

/** Reads the bytes of a file, or of stdin for `-`. */
export async function readBytes(world: World, file: string, option: string): Promise<Uint8Array> {
  if (file === '-') return buffer(world.stdin);
  try {
    return await readFile(file);
  } catch (error) {
    const code = codeOf(error);
    const reason = code === 'ENOENT' ? 'there is no such file' : code || 'it is not readable';
    throw new UsageError(`${option}: cannot read '${file}': ${reason}.`);
  }
}

export async function readJsonObject(world: World, file: string, option: string): Promise<Fields> {
  const text = await readText(world, file, option);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's message quotes the text, which can hold a secret.
    throw new UsageError(`${option}: '${file}' does not contain JSON.`);
  }
  if (!isFields(value)) throw new UsageError(`${option}: '${file}' must contain one JSON object.`);
  return value;
}

export function nonEmpty(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

/**
 * Reads a secret from the file that an option names, else from the environment. No output shows it. `undefined`: it is
 * missing.
 */
export async function findSecret(
  session: Session,
  option: 'accessKeyFile' | 'secretFile' | 'tokenFile',
  variable = '',
): Promise<string | undefined> {
  const { world, output } = session;
  const file = session.text(option);
  const flag = `--${kebab(option)}`;
  // Editors add a line end.
  const secret = nonEmpty(file === undefined ? world.env[variable] : (await readText(world, file, flag)).trim());
  if (secret !== undefined) output.hide(secret);
  else if (file !== undefined) throw new UsageError(`${flag}: '${file}' is empty.`);
  return secret;
}

/** The fields of a request: from `--body`, with the options merged over them. */
export interface RequestFields {
  readonly fields: Fields;
  readonly extraBody: Fields | undefined;
}

/** Reads the fields of a request from the options and the files that they name. */
export async function readBody(session: Session, fields: readonly FieldOption[]): Promise<RequestFields> {
  const { world } = session;
  const bodyFile = session.text('body');
  const extraFile = session.text('extraBody');
  if (bodyFile === '-' && extraFile === '-') throw new UsageError('Only one of --body and --extra-body can be -.');
  const body = bodyFile === undefined ? {} : await readJsonObject(world, bodyFile, '--body');
  const extraBody = extraFile === undefined ? undefined : await readJsonObject(world, extraFile, '--extra-body');
  return { fields: { ...body, ...readFields(session, fields) }, extraBody };
}

const isTerminal = ({ stdin, stderr }: World): boolean => stdin.isTTY === true && stderr.isTTY === true;

/**
 * Asks a question on the terminal. `--yes` answers it.
 * @throws NotConfirmedError the user answers no, or there is no terminal
 */
export async function confirm(session: Session, question: string): Promise<void> {
  if (!session.isSet('yes') && !isTerminal(session.world))
    throw new NotConfirmedError(`${question} There is no terminal to ask on. Nothing was sent. Pass --yes to confirm.`);
  await confirmOnTerminal(session, question);
}

/**
 * The same for work on intents that were written before: without a terminal, for example in cron, it asks nothing.
 * @throws NotConfirmedError the user answers no
 */
export async function confirmOnTerminal(session: Session, question: string): Promise<void> {
  if (session.isSet('yes') || !isTerminal(session.world)) return;
  const { stdin, stderr, signal } = session.world;
  session.output.error(question);
  // Terminals are always the streams of the process.
  const terminal = {
    input: stdin as unknown as NodeJS.ReadableStream,
    output: stderr as unknown as NodeJS.WritableStream,
  };
  // Without line editing, Ctrl-C remains a signal.
  const prompt = createInterface({ ...terminal, terminal: false });
  const answered = new Promise<string>((resolve, reject) => {
    // Ctrl-D: there is no answer.
    prompt.once('close', () => {
      resolve('');
    });
    prompt.question('Continue? [y/N] ', { signal }).then(resolve, reject);
  });
  const answer = await answered.finally(() => {
    prompt.close();
  });
  if (/^y(?:es)?$/i.test(answer.trim())) return;
  throw new NotConfirmedError('Not confirmed. Nothing was sent.');
}
