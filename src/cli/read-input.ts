import { readFile } from 'node:fs/promises';
import { codeOf } from '../core/error-code.js';
import { UsageError } from './command-errors.js';
import type { World } from './world.js';

export type JsonObject = Readonly<Record<string, unknown>>;

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
  if (file === '-') return readAll(world);
  try {
    return await readFile(file);
  } catch (error) {
    const code = codeOf(error);
    const reason = code === 'ENOENT' ? 'there is no such file' : code || 'it is not readable';
    throw new UsageError(`${option}: cannot read '${file}': ${reason}.`);
  }
}

async function readAll({ stdin }: World): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  // The input is not in object mode, so a chunk is text or bytes.
  for await (const chunk of stdin) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array));
  return Buffer.concat(chunks);
}

export async function readJsonObject(world: World, file: string, option: string): Promise<JsonObject> {
  const text = await readText(world, file, option);
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    // The parser's message quotes the text, which can hold a secret.
    throw new UsageError(`${option}: '${file}' does not contain JSON.`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new UsageError(`${option}: '${file}' must contain one JSON object.`);
  // Neither null nor an array, so it has fields.
  return value as JsonObject;
}

/** Reads a secret from a file, without the line end that editors add. */
export async function readSecretFile(world: World, file: string, option: string): Promise<string> {
  const secret = (await readText(world, file, option)).trim();
  if (secret === '') throw new UsageError(`${option}: '${file}' is empty.`);
  return secret;
}
