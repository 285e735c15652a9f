import { parseUrl } from '../../core/parse-url.js';

// Checks that a schema lacks.

export type Fail = (message: string) => never;

export function failing(what: string): Fail {
  return (message) => {
    throw new TypeError(`seed.${what}: ${message}`);
  };
}

export function checkWebhook(
  fail: Fail,
  { url, secret }: { url?: string | undefined; secret?: string | undefined },
): void {
  if (url === undefined || !/^https?:\/\//i.test(url) || parseUrl(url) === undefined)
    fail('webhook.url must be an http or https address.');
  if (secret === undefined || secret.trim() === '' || /[*•…]{3,}/u.test(secret)) {
    fail('webhook.secret must be a complete secret: deliveries are signed with it.');
  }
}
