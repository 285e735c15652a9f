import { readFileSync } from 'node:fs';
import { parseJson } from '../../../core/json.js';
import { FlagError } from './flag-error.js';

/** Returns the code of a Node error, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/**
 * Reads a JSON file.
 * @throws FlagError with the name of the flag and the file
 */
export function readJsonFile(flag: string, file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    throw new FlagError(
      code === 'ENOENT'
        ? `${flag}: the file '${file}' does not exist.`
        : `${flag}: cannot read '${file}' (${code ?? String(error)}).`,
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new FlagError(`${flag}: '${file}' is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
