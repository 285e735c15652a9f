import { readFileSync } from 'node:fs';
import { codeOf } from '../../../core/error-code.js';
import { parseJson } from '../../../core/json.js';
import { FlagError } from './flag-error.js';

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
        : `${flag}: cannot read '${file}' (${code || String(error)}).`,
    );
  }
  try {
    return parseJson(text);
  } catch (error) {
    throw new FlagError(`${flag}: '${file}' is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}
