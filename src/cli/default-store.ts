import { createHash } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { domainToUnicode } from 'node:url';
import { UsageError } from './command-errors.js';
import { stateFolder } from './state-folder.js';
import type { World } from './world.js';
import { baseUrlOf, parseUrl, withoutSlash } from '../core/parse-url.js';

/** The base URL as the URL Standard writes it, without a slash at its end. Text that is not such a URL stays unchanged. */
export function normalBaseUrl(text: string): string {
  const url = parseUrl(text);
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') return text;
  return baseUrlOf(url);
}

/**
 * Texts of the same base URL. Version 0.2.0 named files and positions after the text. So the text that it got can be the
 * text of now, or another usual spelling of it.
 */
export function otherSpellings(text: string): string[] {
  const normal = normalBaseUrl(text);
  const [, scheme = '', host = '', port = '', path = ''] =
    /^(https?:)\/\/(\[.*\]|[^:/]*)(:\d+)?(.*)$/.exec(normal) ?? [];
  const usual = { 'http:': ':80', 'https:': ':443' }[scheme] ?? '';
  const found = new Set([withoutSlash(text)]);
  for (const schemeText of casesOf(scheme))
    for (const hostText of [host, domainToUnicode(host)].flatMap(casesOf))
      for (const portText of port === '' ? ['', usual] : [port])
        found.add(`${schemeText}//${hostText}${portText}${path}`);
  found.delete(normal);
  return [...found];
}

function casesOf(text: string): string[] {
  return [text, text.toUpperCase(), text.charAt(0).toUpperCase() + text.slice(1)];
}

/**
 * Returns the SQLite file of a base URL: one for each user and base URL, in every spelling.
 * @throws UsageError version 0.2.0 created several files, for several spellings
 */
export function defaultFile(world: World, baseUrl: string): string {
  const fileOf = (text: string) => join(stateFolder(world), fileName(text));
  const file = fileOf(normalBaseUrl(baseUrl));
  const earlier = otherSpellings(baseUrl).map(fileOf).filter(existsSync);
  const existing = [...(existsSync(file) ? [file] : []), ...earlier];
  if (existing.length === 0) checkNewFile(file);
  if (existing.length < 2) return existing[0] ?? file;
  throw new UsageError(
    `Version 0.2.0 has created a store for each spelling of this base URL: ${existing.join(' and ')}. Nothing was sent. ` +
      'To list the keys of a store, run: social-publishing intents list --store FILE. Pass --store with the store that has ' +
      'your keys, or set SOCIAL_PUBLISHING_STORE to it. Publish no key of the other store again.',
  );
}

/**
 * Another file of the same host can be of an unusual spelling of this base URL, such as `/a/..`. Its name has only a hash
 * of the text that version 0.2.0 got.
 * @throws UsageError there is such a file
 */
function checkNewFile(file: string): void {
  const folder = dirname(file);
  const host = basename(file).replace(/-\w+\.db$/, '');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const others = names.filter((name) => /-[0-9a-f]{8}\.db$/.test(name) && name.replace(/-\w+\.db$/, '') === host);
  if (others.length === 0) return;
  const stores = others.map((name) => join(folder, name)).join(' and ');
  throw new UsageError(
    `There is no store of this base URL, but the same host has: ${stores}. Version 0.2.0 may have created it for another ` +
      'spelling of this base URL. Nothing was sent. To list the keys of a store, run: social-publishing intents list ' +
      `--store FILE. If it has your keys, pass it as --store. If it is of another base URL, pass --store ${file} once.`,
  );
}

function fileName(text: string): string {
  const host = parseUrl(text)?.host.replace(/[^\w.-]/g, '_') ?? 'store';
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 8);
  return `${host}-${digest}.db`;
}
