import { Option, type Command } from 'commander';
import * as z from 'zod/mini';
import type { Endpoint } from '../core/call/endpoint.js';
import { UsageError } from './errors.js';
import { collect, kebab, type Session } from './command.js';

/** The part of JSON Schema that requests use. */
interface JsonSchema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly items?: JsonSchema;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

export interface FieldOption {
  readonly option: Option;
  /** The path of the value in the request: `['webhook', 'url']`. */
  readonly path: readonly string[];
  /** Converts the text, or the texts of a repeated option, to the field's value. */
  readonly read: (value: unknown) => unknown;
}

export function fieldOptions(endpoint: Endpoint): FieldOption[] {
  const schema = requestSchema(endpoint);
  const secret = new Set(endpoint.secrets?.body);
  return Object.entries(schema?.properties ?? {})
    .filter(([name]) => !secret.has(name) && !(endpoint.list !== undefined && name === 'limit'))
    .flatMap(([name, field]) => optionsFor([name], field, describe(name, field, { endpoint, schema })));
}

function requestSchema(endpoint: Endpoint): JsonSchema | undefined {
  const schema = endpoint.body?.() ?? endpoint.query?.();
  // Requests contain only the fields of the interface above.
  return schema && (z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonSchema);
}

function optionsFor(path: readonly string[], field: JsonSchema, description: string): FieldOption[] {
  const flag = `--${path.map(kebab).join('-')}`;
  if (isTargets(field)) return [targetOption(path)];
  if (field.type === 'object')
    return Object.entries(field.properties ?? {}).flatMap(([name, inner]) =>
      optionsFor([...path, name], inner, hint(inner)),
    );
  if (field.type === 'boolean')
    return [{ option: new Option(flag, description), path, read: (value) => value === true }];
  if (field.type === 'array') {
    const option = new Option(`${flag} <value>`, `${description || 'a value'}; repeat for more`).argParser(collect);
    const closed = field.items?.enum !== undefined;
    const read = (value: unknown) => {
      // `collect` returns an array of texts.
      const values = value as readonly string[];
      return closed ? values.flatMap((text) => text.split(',')) : values;
    };
    return [{ option, path, read }];
  }
  const option = new Option(`${flag} <${placeholder(field)}>`, description);
  return [{ option, path, read: (value) => scalar(flag, field, String(value)) }];
}

/** A list of `{ platform, accountId }`. */
function isTargets({ items }: JsonSchema): boolean {
  const names = Object.keys(items?.properties ?? {});
  return names.length === 2 && names.includes('platform') && names.includes('accountId');
}

/** Reads `PLATFORM:ACCOUNT_ID`. The ID can contain a colon. */
export function readTarget(text: string): { readonly platform: string; readonly accountId: string } | undefined {
  const [, platform = '', accountId = ''] = /^([^:]+):(.+)$/.exec(text) ?? [];
  return platform === '' ? undefined : { platform, accountId };
}

function targetOption(path: readonly string[]): FieldOption {
  const option = new Option('--target <platform:account-id>', 'an account to publish to; repeat for more');
  const read = (value: unknown) => {
    const accounts = new Set<string>();
    // `collect` returns an array of texts.
    return (value as readonly string[]).map((target) => {
      const parts = readTarget(target);
      if (parts === undefined)
        throw new UsageError('--target must be PLATFORM:ACCOUNT_ID, for example bluesky:integration_7.');
      if (accounts.has(parts.accountId)) throw new UsageError(`--target names the account '${parts.accountId}' twice.`);
      accounts.add(parts.accountId);
      return parts;
    });
  };
  return { option: option.argParser(collect), path, read };
}

function scalar(flag: string, field: JsonSchema, text: string): unknown {
  if (field.anyOf?.some(({ type }) => type === 'null') === true && text === 'null') return null;
  if (placeholder(field) === 'time' && !new RegExp(field.pattern ?? '').test(text)) {
    const forms = '2027-03-01T09:00:00Z or 2027-03-01T10:00:00+01:00';
    throw new UsageError(`${flag} must be a date-time with seconds and an offset, such as ${forms}, not '${text}'.`);
  }
  if (placeholder(field) === 'date' && !/^\d{4}-\d{2}-\d{2}$/.test(text))
    throw new UsageError(`${flag} must be a day in the form YYYY-MM-DD, such as 2027-03-01, not '${text}'.`);
  if (field.type !== 'integer' && field.type !== 'number') return text;
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw new UsageError(`${flag} must be a number, not '${text}'.`);
  return number;
}

function placeholder(field: JsonSchema): string {
  if (field.type === 'integer' || field.type === 'number') return 'n';
  if (field.format === 'date') return 'date';
  if (field.format === 'uri') return 'url';
  if (field.pattern?.includes('T(?:') === true) return 'time';
  return 'text';
}

/** Returns a short description of a field's values. */
function hint(field: JsonSchema): string {
  const { enum: values = field.items?.enum, minimum = 0 } = field;
  if (values !== undefined) return values.length > 7 ? `${values.slice(0, 3).join(', ')}, …` : values.join(', ');
  if (field.anyOf?.some(({ type }) => type === 'null') === true) return 'an ID, or null for none';
  if (field.type === 'integer') return `${minimum} or more`;
  switch (placeholder(field)) {
    case 'date':
      return 'YYYY-MM-DD';
    case 'time':
      return 'for example 2027-03-01T09:00:00Z';
    default:
      return '';
  }
}

function describe(
  name: string,
  field: JsonSchema,
  { endpoint, schema }: { endpoint: Endpoint; schema: JsonSchema | undefined },
): string {
  const isRequired = schema?.required?.includes(name) === true && endpoint.body === undefined;
  const fallback = endpoint.defaults?.[name];
  const parts = [isRequired ? 'required' : '', hint(field), fallback === undefined ? '' : `default ${fallback}`];
  return parts.filter(Boolean).join('; ');
}

/** Adds the options of the fields. With `body`, the description of `--body`, also those of the files with fields. */
export function addFields(command: Command, fields: readonly FieldOption[], body?: string): void {
  for (const { option } of fields) command.addOption(option);
  if (body === undefined) return;
  command
    .option('--body <file>', `${body}; - for stdin`)
    .option('--extra-body <file>', 'JSON with fields that the API document does not show');
}

export function readFields(session: Session, fields: readonly FieldOption[]): Record<string, unknown> {
  const request: Record<string, unknown> = {};
  for (const { option, path, read } of fields) {
    const value = session.value(option.attributeName());
    if (value === undefined) continue;
    checkText(option.long ?? '', value);
    const [name = '', inner] = path;
    if (inner === undefined) request[name] = read(value);
    // Only other inner fields of the name are there.
    else request[name] = { ...(request[name] as object | undefined), [inner]: read(value) };
  }
  return request;
}

/** Node reads bytes that are not UTF-8 as U+FFFD. The text would be published with it. */
function checkText(flag: string, value: unknown): void {
  if (![value].flat().some((text) => typeof text === 'string' && text.includes('\uFFFD'))) return;
  throw new UsageError(
    `${flag} is not UTF-8, or contains U+FFFD. Use a terminal with UTF-8, or pass the text in --body FILE.`,
  );
}
