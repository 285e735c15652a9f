import { WebhookVerificationError } from '../../core/errors.js';

/**
 * The headers of a delivery: `Headers`, Node's `req.headers`, another plain object, or name-value pairs. Names can
 * have any case. The values of an object are strings or lists of strings.
 */
export type WebhookHeaders =
  Headers | Readonly<Record<string, string | readonly string[] | undefined>> | Iterable<readonly [string, string]>;

export interface DeliveryHeaders {
  /** The 64 hexadecimal digits of the signature. */
  readonly signature: string;
  /** Unix seconds, in digits. */
  readonly timestamp: string;
  /** Not signed. */
  readonly eventId: string | undefined;
  /** Not signed. */
  readonly eventType: string | undefined;
}

/**
 * Reads the headers of a delivery.
 * @throws WebhookVerificationError a header is missing, repeated or malformed
 */
export function readHeaders(headers: WebhookHeaders): DeliveryHeaders {
  const found = collect(headers);
  return {
    signature: required(found, 'x-service-signature', {
      form: /^sha256=([0-9a-f]{64})$/,
      code: 'signature_malformed',
      expected: "'sha256=' and 64 lower-case hexadecimal digits",
    }),
    timestamp: required(found, 'x-service-timestamp', {
      form: /^([0-9]{1,12})$/,
      code: 'timestamp_malformed',
      expected: '1 to 12 digits',
    }),
    eventId: single(found, 'x-service-event-id'),
    eventType: single(found, 'x-service-event-type'),
  };
}

/** The values of each header that starts with `x-`, by lower-case name. */
type Found = Partial<Record<string, unknown[]>>;

function collect(headers: unknown): Found {
  const found: Found = {};
  const add = (name: unknown, value: unknown) => {
    // Fast exit for most headers: the service's names start with `x-`.
    if (typeof name !== 'string' || name.charCodeAt(1) !== 0x2d) return;
    const lower = name.toLowerCase();
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (one !== undefined && one !== null) (found[lower] ??= []).push(one);
    }
  };
  if (typeof headers !== 'object' || headers === null) return found;
  // `Headers` iterates over pairs too. It can come from another realm, where instanceof fails.
  const pairs = Symbol.iterator in headers ? (headers as Iterable<unknown>) : Object.entries(headers);
  for (const pair of pairs) if (Array.isArray(pair)) add(pair[0], pair[1]);
  return found;
}

function single(found: Found, name: string): string | undefined {
  const values = found[name];
  if (values === undefined) return undefined;
  if (values.length > 1) throw repeated(name);
  return String(values[0]);
}

interface HeaderRule {
  readonly form: RegExp;
  /** The code of the error if the value has another form. */
  readonly code: 'signature_malformed' | 'timestamp_malformed';
  /** The form in words. */
  readonly expected: string;
}

function required(found: Found, name: string, { form, code, expected }: HeaderRule): string {
  const value = single(found, name);
  if (value === undefined)
    throw new WebhookVerificationError(
      'missing_header',
      `The header ${name} is missing. The service sends it with every delivery.`,
    );
  const match = form.exec(value)?.[1];
  if (match !== undefined) return match;
  // HTTP stacks join the values of a repeated header.
  if (value.split(/, ?/).every((part) => form.test(part))) throw repeated(name);
  if (code === 'timestamp_malformed' && /^[0-9]{13}$/.test(value)) {
    throw new WebhookVerificationError(
      code,
      `The header ${name} has 13 digits, which looks like milliseconds. It must contain seconds.`,
    );
  }
  throw new WebhookVerificationError(code, `The header ${name} must be ${expected}.`);
}

function repeated(name: string): WebhookVerificationError {
  return new WebhookVerificationError(
    'duplicate_header',
    `The header ${name} occurs more than once. Check your proxy.`,
  );
}
