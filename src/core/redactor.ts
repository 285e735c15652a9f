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

/** Creates a function that removes secrets from a text, also if they are percent-encoded or escaped as in JSON. */
export function redactor(secrets: readonly string[]): Redact {
  const forms = formsOf(secrets);
  return (text) => forms.reduce((redacted, form) => redacted.replaceAll(form, '***'), text);
}

/** Returns each secret in the forms that a text can contain. */
export function formsOf(secrets: readonly string[]): readonly string[] {
  return (
    secrets
      .filter((secret) => secret.length >= shortestRedacted)
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
