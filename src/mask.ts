const secretName = /secret|token|password/i;
/** Shorter values than this would blank out ordinary words. */
const shortestMasked = 4;

/**
 * The strings of a request that no error text may show: values of fields and path parameters whose name speaks of a
 * secret, a token or a password, at any depth.
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

/** Makes a function that takes secrets out of a text, also where they stand percent-encoded or escaped as in JSON. */
export function masker(secrets: readonly string[]): (text: string) => string {
  const forms = secrets
    .filter((secret) => secret.length >= shortestMasked)
    .flatMap((secret) => [secret, percentEncoded(secret), JSON.stringify(secret).slice(1, -1)])
    // Longer ones first: a secret may hold another.
    .sort((a, b) => b.length - a.length);
  return (text) => forms.reduce((masked, form) => masked.replaceAll(form, '***'), text);
}

function percentEncoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    return secret; // A lone surrogate: it can't stand in a URL.
  }
}
