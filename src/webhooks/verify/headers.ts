import { WebhookVerificationError } from '../../core/errors.js';

/**
 * The headers of a delivery: `Headers`, Node's `req.headers`, another plain object, or name-value pairs. Names can
 * have any case. The values of an object are strings or lists of strings.
 */
export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>> | Iterable<readonly [string, string]>;

/**
 * Reads the headers of a delivery: the 64 digits of the signature, Unix seconds, and two headers that are not signed.
 * @throws WebhookVerificationError a header is missing, repeated or malformed
 */
export function readHeaders(headers: WebhookHeaders) {
  const pairs = pairsOf(headers);
  const hexDigits = "'sha256=' and 64 lower-case hexadecimal digits";
  return {
    signature: required(pairs, 'x-service-signature', /^sha256=([0-9a-f]{64})$/, hexDigits),
    timestamp: required(pairs, 'x-service-timestamp', /^([0-9]{1,12})$/, '1 to 12 digits, in seconds'),
    eventId: single(pairs, 'x-service-event-id'),
    eventType: single(pairs, 'x-service-event-type'),
  };
}

/** Headers with lower-case names. */
type HeaderPairs = readonly (readonly [name: string, value: unknown])[];

function pairsOf(headers: unknown): HeaderPairs {
  if (typeof headers !== 'object' || headers === null) return [];
  // `Headers` iterates over pairs too. It can come from another realm, where instanceof fails.
  const pairs = Symbol.iterator in headers ? (headers as Iterable<unknown>) : Object.entries(headers);
  return [...pairs].flatMap((pair) =>
    Array.isArray(pair) ? [[String(pair[0]).toLowerCase(), pair[1] as unknown] as const] : [],
  );
}

function single(pairs: HeaderPairs, name: string): string | undefined {
  const values = pairs
    .flatMap(([header, value]) => (header === name ? value : [])) // A value can be a list.
    .filter((value): boolean => value !== undefined && value !== null);
  if (values.length > 1) throw repeated(name);
  return values.length === 0 ? undefined : String(values[0]);
}

type SignedHeader = 'x-service-signature' | 'x-service-timestamp';

/** @param expected the form in words */
function required(pairs: HeaderPairs, name: SignedHeader, form: RegExp, expected: string): string {
  const value = single(pairs, name);
  if (value === undefined)
    throw new WebhookVerificationError(
      'missing_header',
      `The header ${name} is missing. The service sends it with every delivery.`,
    );
  const match = form.exec(value)?.[1];
  if (match !== undefined) return match;
  // HTTP stacks join the values of a repeated header.
  if (value.split(/, ?/).every((part) => form.test(part))) throw repeated(name);
  const code = name === 'x-service-signature' ? 'signature_malformed' : 'timestamp_malformed';
  throw new WebhookVerificationError(code, `The header ${name} must be ${expected}.`);
}

function repeated(name: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'duplicate_header',
    `The header ${name} occurs more than once. Check your proxy.`,
  );
}
