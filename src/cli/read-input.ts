import { readFile } from 'node:fs/promises';
import { UsageError } from './command-errors.js';
import type { World } from './world.js';

/** A JSON object. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Reads a file, or stdin for `-`. */
export async function readText(world: World, file: string, option: string): Promise<string> {
  if (file === '-') return readAll(world);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'there is no such file' : (code ?? 'it is not readable');
    throw new UsageError(`${option}: cannot read '${file}': ${reason}.`);
  }
}

async function readAll({ stdin }: World): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stdin)
    text += typeof chunk === 'string' ? chunk : decoder.decode(chunk as Uint8Array, { stream: true });
  return text + decoder.decode();
}

/** Reads a JSON object from a file, or from stdin for `-`. */
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
  return value as JsonObject;
}

/** Reads a secret from a file, without the line end that editors add. */
export async function readSecretFile(world: World, file: string, option: string): Promise<string> {
  const secret = (await readText(world, file, option)).trim();
  if (secret === '') throw new UsageError(`${option}: '${file}' is empty.`);
  return secret;
}
