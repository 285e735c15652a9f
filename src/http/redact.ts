import type { SecretFields } from '../core/call/endpoint.js';
import { isSecretName, redactor, type Redact } from '../core/redactor.js';

/** The strings of a documented operation's request that no error text may show. */
export function secretsOf(fields: SecretFields, params: Readonly<Record<string, unknown>>, body: unknown): string[] {
  const values = [
    ...(fields.params?.map((name) => params[name]) ?? []),
    ...(fields.body?.map((name) => (body as Readonly<Record<string, unknown>> | undefined)?.[name]) ?? []),
  ];
  return values.filter((value) => typeof value === 'string');
}

/**
 * Returns the secrets in undocumented data: values of fields, path parameters and headers with secret-like names, at
 * any depth.
 */
export function secretsIn(...values: readonly unknown[]): string[] {
  const found: string[] = [];
  const visit = (value: unknown, secret: boolean, depth: number) => {
    if (typeof value === 'string') {
      if (secret) found.push(value);
    } else if (typeof value === 'object' && value !== null && depth < 10) {
      for (const [name, inner] of Object.entries(value)) visit(inner, secret || isSecretName(name), depth + 1);
    }
  };
  for (const value of values) visit(value, false, 0);
  return found;
}

const jsonField = /"([\w$-]+)"\s*:\s*"((?:[^"\\]|\\.)*)/g;
/** The same for JSON inside a JSON string. */
const escapedField = /\\"([\w$-]{1,99})\\{1,7}"\s*:\s*\\{1,7}"([^"\\]*)/g;
/** Errors show much shorter texts. On a text of some megabytes, these patterns would overflow the stack. */
const longestRead = 20_000;

/**
 * Hides the values of fields with secret-like names in a text that may contain JSON, or the beginning of JSON. Returns
 * only the beginning of a very long text.
 */
export function hideSecretFields(text: string): string {
  if (!text.includes('"')) return text;
  const hide = (match: string, name: string, value: string) =>
    isSecretName(name) ? match.slice(0, match.length - value.length) + '***' : match;
  return text.slice(0, longestRead).replace(jsonField, hide).replace(escapedField, hide);
}

/** Shorter values under such a name are words, such as `expired`, which also occur elsewhere. */
const shortestRepeated = 12;

/** Hides the secrets of a reply everywhere: its message may repeat them. */
export function hidingSecretsOf(reply: string, redact: Redact): Redact {
  let own: Redact | undefined;
  return (text) => {
    own ??= redactor(secretValues(reply).filter(({ length }) => length >= shortestRepeated));
    return own(redact(text));
  };
}

function secretValues(reply: string): string[] {
  const read = reply.slice(0, longestRead);
  return [...read.matchAll(jsonField), ...read.matchAll(escapedField)].flatMap(([, name = '', value = '']) =>
    isSecretName(name) ? [unescaped(value)] : [],
  );
}

function unescaped(inJson: string): string {
  try {
    // The quotation marks make it a string.
    return JSON.parse(`"${inJson}"`) as string;
  } catch {
    return inJson; // The reply is cut inside it.
  }
}

/** A replacer for `JSON.stringify` that hides fields with secret-like names. */
export function hideSecrets(name: string, value: unknown): unknown {
  return typeof value === 'string' && isSecretName(name) ? '***' : value;
}
