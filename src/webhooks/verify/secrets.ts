import { ConfigurationError } from '../../core/errors.js';
import { computeHmac, toHex } from './hmac.js';

/**
 * The signing secret of a subscription, from the reply that created it (`webhook.secret`; lists show it masked). During
 * a rotation, pass several: a delivery signed with any of them is accepted. A function is called at every delivery, so
 * you can rotate a secret without a restart. It should return a value from memory.
 */
export type WebhookSecret =
  string | readonly string[] | (() => string | readonly string[] | Promise<string | readonly string[]>);

/**
 * Returns the secrets as a list.
 * @throws ConfigurationError a secret is invalid; the message never quotes it
 */
export function checkSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  const refusal =
    secrets.length === 0
      ? `The list of webhook secrets is empty. ${origin}`
      : secrets.map(refusalOf).find((reason) => reason !== undefined);
  if (refusal !== undefined) throw new ConfigurationError(refusal);
  // Each was checked above.
  return secrets as readonly string[];
}

/** Returns why a secret is invalid, without quoting it. */
function refusalOf(secret: unknown): string | undefined {
  if (typeof secret !== 'string') {
    const what = secret === null ? 'null' : typeof secret;
    return `The webhook secret must be a string, not ${what}. ${origin}`;
  }
  const text = secret.trim();
  if (text === '') return `The webhook secret is empty. ${origin}`;
  if (text === 'undefined' || text === 'null')
    return `The webhook secret is the text '${text}': a variable without a value was turned into a string.`;
  if (/[\r\n]/.test(secret))
    return 'The webhook secret has a line break, which secrets of the service never have. Trim the value that you read from a file or a shell.';
  if (/\*\*\*|[\u2022\u2026]/.test(text))
    return 'The webhook secret is masked, as lists of subscriptions show it. The whole secret is in the reply that created the subscription.';
  return undefined;
}

const origin =
  'notifications.create() returns it as webhook.secret. If you read it from an environment variable, check that the ' +
  'variable is set.';

/**
 * Checks a secret, and copies a list: later changes have no effect. The result of a function is checked at each delivery.
 * @throws ConfigurationError
 */
export function keepSecret(secret: WebhookSecret): WebhookSecret {
  return typeof secret === 'function' ? secret : [...checkSecrets(secret)];
}

/**
 * Returns the current secrets.
 * @throws ConfigurationError a secret is invalid; errors of the caller's function pass through unchanged
 */
export async function currentSecrets(secret: WebhookSecret): Promise<readonly string[]> {
  return checkSecrets(typeof secret === 'function' ? await secret() : secret);
}

/**
 * Names a subscription by each of its secrets, so that two apps on one store each handle an event. The order is the
 * same everywhere: two processes that claim several keys meet at the first. A secret that is given twice counts once: a
 * process must not meet its own claim. The names do not reveal the secrets.
 */
export async function scopesOf(secrets: readonly string[]): Promise<string[]> {
  return (await Promise.all([...new Set(secrets)].map(scopeOf))).sort();
}

/** The scopes of the current secrets. */
export async function currentScopes(secret: WebhookSecret): Promise<string[]> {
  return scopesOf(await currentSecrets(secret));
}

async function scopeOf(secret: string): Promise<string> {
  const digest = await computeHmac(secret, new TextEncoder().encode('social-publishing webhook scope'));
  return toHex(digest.subarray(0, 8));
}

/** Whether two lists name the same subscription. A record of release 0.2.0 has no list, and belongs to no subscription. */
export function sharesScope(scopes: readonly string[], others: readonly string[] | undefined): boolean {
  return others?.some((scope) => scopes.includes(scope)) ?? false;
}
