import { ConfigurationError } from '../core/errors.js';

/**
 * The signing secret of a subscription, from the reply that created it (`webhook.secret`; lists show it masked). Several
 * while one is being rotated: a delivery that any of them signed is taken. A function is asked at every delivery, so that
 * a secret can be rotated without a restart; let it answer from memory.
 */
export type WebhookSecret =
  string | readonly string[] | (() => string | readonly string[] | Promise<string | readonly string[]>);

/**
 * Gives the secrets as a list.
 * @throws ConfigurationError for a secret that can't be one; the message never quotes it
 */
export function checkSecrets(secret: string | readonly string[]): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret];
  if (secrets.length === 0) throw new ConfigurationError(`No webhook secret was given: the list is empty. ${origin}`);
  for (const one of secrets) {
    if (typeof one !== 'string') {
      const what = one === null ? 'null' : typeof one;
      throw new ConfigurationError(`The webhook secret must be a string, not ${what}. ${origin}`);
    }
    const text = one.trim();
    if (text === '') throw new ConfigurationError(`The webhook secret is empty. ${origin}`);
    if (text === 'undefined' || text === 'null') {
      throw new ConfigurationError(
        `The webhook secret is the text '${text}': a variable without a value was turned into a string.`,
      );
    }
    if (/[\r\n]/.test(one)) {
      throw new ConfigurationError(
        'The webhook secret has a line break, which the service never gave: trim what a file or a shell gave.',
      );
    }
    if (/\*\*\*|[\u2022\u2026]/.test(text)) {
      throw new ConfigurationError(
        'The webhook secret is masked, as lists of subscriptions show it. The whole secret is in the reply that created the subscription.',
      );
    }
  }
  return secrets as readonly string[];
}

const origin =
  'It is in the reply that created the subscription, as webhook.secret of what notifications.create() gives; ' +
  'if it comes from an environment variable, check that the variable is set.';

/**
 * Checks a secret when a receiver is made, and keeps it as it is then, though the list may be changed later. What a
 * function gives is checked at each delivery.
 * @throws ConfigurationError
 */
export function keepSecret(secret: WebhookSecret): WebhookSecret {
  return typeof secret === 'function' ? secret : [...checkSecrets(secret)];
}

/**
 * Gives the secrets that hold now.
 * @throws ConfigurationError for a secret that can't be one; what the caller's function throws comes through as it is
 */
export async function currentSecrets(secret: WebhookSecret): Promise<readonly string[]> {
  return checkSecrets(typeof secret === 'function' ? await secret() : secret);
}
