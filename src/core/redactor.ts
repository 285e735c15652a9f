import type { SecretFields } from './call/endpoint.js';

export type Redact = (text: string) => string;

const secretName = /secret|token|passw(?:or)?d|^(?:pass|auth)$|credential|authorization|cookie|(?:api|access)[-_]?key/i;
/** `accessTokenExpiresAt` is a time, and `secretFile` a path. */
const harmlessName = /(?:At|File)$/;

/** Whether a field, a header or a parameter with this name contains a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name) && !harmlessName.test(name);
}

/** Shorter values occur in ordinary words. */
const shortestRedacted = 4;

/**
 * Creates a function that removes secrets from a text, also if their characters are escaped for a URL, JSON or HTML, in
 * part or several times.
 */
export function redactor(secrets: readonly string[]): Redact {
  const patterns = secrets.filter(isLongEnough).flatMap(patternsOf);
  return (text) => {
    // Found in the whole text first, because secrets and their parts can overlap.
    const found = patterns
      .flatMap((pattern) =>
        Array.from(text.matchAll(pattern), ({ index, 0: { length } }) => [index, index + length] as const),
      )
      .sort(([a], [b]) => a - b);
    let redacted = '';
    let end = 0;
    for (const [from, to] of found) {
      if (from > end || redacted === '') redacted += `${text.slice(end, from)}***`;
      end = Math.max(end, to);
    }
    return redacted + text.slice(end);
  };
}

/** Does the same, but collects the secrets only for the first text: most calls have none to show. */
export function lazyRedactor(secrets: () => readonly string[]): Redact {
  let redact: Redact | undefined;
  return (text) => (redact ??= redactor(secrets()))(text);
}

/** A pattern of some thousand characters takes seconds, and a longer one is refused. */
const mostInPattern = 100;

/** Returns patterns of the parts of a secret: one, unless it is long. */
function patternsOf(secret: string): RegExp[] {
  const characters = Array.from(secret, patternOf);
  const count = Math.ceil(characters.length / mostInPattern);
  const startOf = (part: number) => Math.round((part * characters.length) / count);
  return Array.from(
    { length: count },
    (_, part) => new RegExp(characters.slice(startOf(part), startOf(part + 1)).join(''), 'g'),
  );
}

const inHtml: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos' };

/** Returns a pattern of a character in each form that a text can contain. */
function patternOf(character: string): string {
  if (/\w/.test(character)) return character;
  const hex = (code: number, digits = 1) =>
    code
      .toString(16)
      .padStart(digits, '0')
      .replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const units = Array.from({ length: character.length }, (_, index) => hex(character.charCodeAt(index), 4));
  const bytes = Array.from(new TextEncoder().encode(character), (byte) => `%(?:25){0,7}${hex(byte, 2)}`);
  const code = character.codePointAt(0) ?? 0;
  const [, shortInJson] = /^"\\([bfnrt])"$/.exec(JSON.stringify(character)) ?? [];
  const forms = [
    `\\\\{0,7}${character.replace(/[\\^$.*+?()[\]{}|]/, '\\$&')}`,
    units.map((unit) => `\\\\{1,7}u${unit}`).join(''),
    bytes.join(''),
    `&(?:amp;){0,7}(?:#0{0,7}${String(code)}|#[xX]0{0,7}${hex(code)}${inHtml[character] === undefined ? '' : `|${inHtml[character]}`});`,
    ...(character === ' ' ? ['\\+'] : []),
    ...(shortInJson === undefined ? [] : [`\\\\{1,7}${shortInJson}`]),
  ];
  return `(?:${forms.join('|')})`;
}

const isLongEnough = (secret: string) => secret.length >= shortestRedacted;

/** Returns each secret as it is, percent-encoded, and escaped as in JSON. */
export function formsOf(secrets: readonly string[]): readonly string[] {
  return (
    secrets
      .filter(isLongEnough)
      .flatMap((secret) => [secret, percentEncoded(secret), JSON.stringify(secret).slice(1, -1)])
      // Longer ones first: a secret may hold another.
      .sort((a, b) => b.length - a.length)
  );
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // A lone surrogate cannot occur in a URL.
  }
}

/** Hides the user and the password of each URL in a text: a driver's message may contain one. */
export function withoutPasswords(text: string): string {
  return text.replace(/\/\/[^\s/]*@/g, '//***@');
}

/** Removes secrets from all texts and names of fields in a JSON value. Its form stays the same. */
export function redactValue(value: unknown, redact: Redact): unknown {
  if (typeof value === 'string') return redact(value);
  if (Array.isArray(value)) return value.map((item) => redactValue(item, redact));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      redact(name),
      typeof inner === 'string' && isSecretName(name) ? '***' : redactValue(inner, redact),
    ]),
  );
}

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
  const hide = lazyRedactor(() => secretValues(reply).filter(({ length }) => length >= shortestRepeated));
  return (text) => hide(redact(text));
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
