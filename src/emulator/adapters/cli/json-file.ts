import { readFileSync } from 'node:fs';
import { parseJson } from '../../../core/json.js';
import { UsageError } from './usage-error.js';

/** The code of an error of Node, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/**
 * Reads a JSON file.
 * @throws UsageError that names the flag and the file
 */
export function readJsonFile(flag: string, file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const code = codeOf(error);
    throw new UsageError(
      code === 'ENOENT'
        ? `${flag}: there is no file '${file}'.`
        : `${flag}: '${file}' can't be read (${code ?? String(error)}).`,
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new UsageError(`${flag}: '${file}' is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
