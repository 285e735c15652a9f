import type { SecretFields } from '../core/endpoint.js';

/** Removes secrets from a text for errors. */
export type Redact = (text: string) => string;

const secretName = /secret|token|password|credential|authorization|cookie|(?:api|access)[-_]?key/i;
/** Whether a name speaks of a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Shorter values than this would blank out ordinary words. */
const shortestRedacted = 4;

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
      for (const [name, inner] of Object.entries(value)) visit(inner, secret || secretName.test(name), depth + 1);
    }
  };
  for (const value of values) visit(value, false, 0);
  return found;
}

const jsonField = /"([\w$-]+)"\s*:\s*"((?:[^"\\]|\\.)*)/g;
/** The same for JSON inside a JSON string. */
const escapedField = /\\"([\w$-]{1,99})\\{1,7}"\s*:\s*\\{1,7}"([^"\\]*)/g;
/** Errors show much shorter texts. These patterns would overflow the stack with a text of some megabytes. */
const longestRead = 20_000;

/**
 * Takes the values of fields whose name speaks of a secret out of a text that may hold JSON, or the beginning of some. Of a
 * very long one the beginning comes back.
 */
export function hideSecretFields(text: string): string {
  if (!text.includes('"')) return text;
  const hide = (match: string, name: string, value: string) =>
    secretName.test(name) ? match.slice(0, match.length - value.length) + '***' : match;
  return text.slice(0, longestRead).replace(jsonField, hide).replace(escapedField, hide);
}

/** Shorter values under such a name are words, such as `expired`, which also occur elsewhere. */
const shortestRepeated = 12;

/** Takes out what else a reply says of the secrets in it: a service that shows one may name it in its message as well. */
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
    secretName.test(name) ? [unescaped(value)] : [],
  );
}

function unescaped(inJson: string): string {
  try {
    return JSON.parse(`"${inJson}"`) as string;
  } catch {
    return inJson; // The reply ends in the midst of it.
  }
}

/** For `JSON.stringify`: leaves out the values of fields whose name speaks of a secret. */
export function hideSecrets(name: string, value: unknown): unknown {
  return typeof value === 'string' && secretName.test(name) ? '***' : value;
}

/** Creates a function that removes secrets from a text, also if they are percent-encoded or escaped as in JSON. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = secrets
    .filter((secret) => secret.length >= shortestRedacted)
    .flatMap((secret) => [secret, percentEncoded(secret), JSON.stringify(secret).slice(1, -1)])
    // Longer ones first: a secret may hold another.
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((redacted, form) => redacted.replaceAll(form, '***'), text);
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // A lone surrogate cannot occur in a URL.
  }
}
