import { ConfigurationError, WebhookVerificationError } from '../core/errors.js';
import { parseJson } from '../core/json.js';
import { checkSlips } from '../core/names.js';
import type { WebhookEvent } from '../model/events.js';
import { readHeaders, type WebhookHeaders } from './headers.js';
import { bytesOf, signedBytes, verifyHmac, type RawBody } from './hmac.js';
import { readEvent } from './parse-event.js';
import { checkSecrets, currentSecrets, type WebhookSecret } from './secrets.js';

/** What {@link verifyWebhook} checks. */
export interface VerifyWebhookOptions {
  /** The body as it was received: the very bytes, or the text they decode to. A parsed body can't be verified. */
  readonly body: RawBody;
  /** The delivery's headers. */
  readonly headers: WebhookHeaders;
  /** The subscription's signing secret, several while one is being rotated, or a function that gives them. */
  readonly secret: WebhookSecret;
  /**
   * How many seconds the delivery's timestamp may lie before or after now: a finite number above 0. Default 300.
   * `false`: any; whoever records a delivery can then send it again at any time.
   */
  readonly toleranceSeconds?: number | false | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The greatest body that is taken, in bytes. The service's own limit is not documented. */
export const maxBodyBytes = 1_048_576;

const defaultToleranceSeconds = 300;

const optionNames: ReadonlySet<string> = new Set<keyof VerifyWebhookOptions>([
  'body',
  'headers',
  'secret',
  'toleranceSeconds',
  'now',
]);

/**
 * Resolves to the event of a delivery whose signature, time and form are right. It tells nothing about repeats: the
 * service may deliver the same event up to three times, so process each `event.id` once, as `createWebhookReceiver` does.
 *
 * API document: Events.
 *
 * ```ts
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret });
 * ```
 *
 * @throws {@link WebhookVerificationError} the delivery must not be trusted; `code` says why
 * @throws {@link ConfigurationError} the secret or another option can't be one
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  checkSlips(options, optionNames);
  return (await verifyDelivery(options)).event;
}

/** A delivery that may be trusted. */
export interface VerifiedDelivery {
  readonly event: WebhookEvent;
  /** The body that was signed. The event holds the JSON of it. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The secrets that it was checked with. */
  readonly secrets: readonly string[];
}

/** Does what {@link verifyWebhook} does, and gives more of what was found. */
export async function verifyDelivery(options: VerifyWebhookOptions): Promise<VerifiedDelivery> {
  // A function of the caller's, which may ask another machine, is called for deliveries of the right form alone.
  if (typeof options.secret !== 'function') checkSecrets(options.secret);
  const toleranceMs = checkTolerance(options.toleranceSeconds) * 1000;
  const headers = readHeaders(options.headers);
  // From here on only this copy is looked at, so that what is read is what was signed.
  const signed = signedBytes(headers.timestamp, checkBody(options.body));
  const secrets = await currentSecrets(options.secret);
  if (!(await isSigned(secrets, headers.signature, signed))) {
    throw new WebhookVerificationError(
      'signature_mismatch',
      'The signature is not that of the body. Check that the secret is the one of this subscription, with no space or ' +
        'line break around it, and that the body is given byte for byte as it was received.',
    );
  }
  checkTime(Number(headers.timestamp) * 1000, toleranceMs, options.now ?? Date.now);
  const body = signed.subarray(headers.timestamp.length + 1);
  const payload = parsePayload(body);
  checkAgreement('event_id_mismatch', 'ID', headers.eventId, payload.id);
  checkAgreement('event_type_mismatch', 'type', headers.eventType, payload.type);
  return { event: readEvent(payload), body, secrets };
}

/**
 * Gives the tolerance in seconds; `Infinity` for `false`.
 * @throws ConfigurationError for anything that is no finite number above 0
 */
export function checkTolerance(tolerance: unknown = defaultToleranceSeconds): number {
  if (tolerance === false) return Number.POSITIVE_INFINITY;
  if (typeof tolerance === 'number' && tolerance > 0 && Number.isFinite(tolerance)) return tolerance;
  throw new ConfigurationError('toleranceSeconds must be a finite number above 0, or false for none.');
}

function checkBody(body: unknown): Uint8Array {
  // A text has at least as many bytes as characters: a huge one need not be encoded first.
  if (typeof body === 'string' && body.length > maxBodyBytes) throw bodyTooLarge();
  const bytes = bytesOf(body);
  if (bytes === undefined) throw bodyNotRaw();
  if (bytes.length > maxBodyBytes) throw bodyTooLarge();
  return bytes;
}

/** The error for a delivery whose body is greater than the limit. */
export function bodyTooLarge(): WebhookVerificationError {
  return new WebhookVerificationError('body_too_large', `The body has more than ${String(maxBodyBytes)} bytes.`);
}

/** The error for a delivery whose body was parsed by something else before. */
export function bodyNotRaw(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_not_raw',
    'The body is not raw: give it as bytes or text, as it was received. Usually a body parser ran before. Express: mount ' +
      'this route before express.json(), or use express.raw({ type: "application/json" }). Fastify: add a content type ' +
      'parser with parseAs "buffer". Next.js and Hono: await request.text(). Lambda: event.body, decoded if isBase64Encoded.',
  );
}

async function isSigned(
  secrets: readonly string[],
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const digest = new Uint8Array(32);
  for (let i = 0; i < 32; i += 1)
    digest[i] = 16 * hexDigit(signature.charCodeAt(2 * i)) + hexDigit(signature.charCodeAt(2 * i + 1));
  for (const secret of secrets) if (await verifyHmac(secret, digest, signed)) return true;
  return false;
}

/** The value of a digit 0-9 or a-f, by its character code. */
function hexDigit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}

// After the HMAC: whether a retry is signed anew is not documented, and `signatureValid` tells an old one from a forged one.
function checkTime(timestampMs: number, toleranceMs: number, clock: () => number): void {
  // A caller without types may hand over anything.
  const now = typeof clock === 'function' ? clock() : Number.NaN;
  if (!Number.isFinite(now)) throw new ConfigurationError('now() must give a finite number of milliseconds.');
  if (Math.abs(now - timestampMs) <= toleranceMs) return;
  const [code, when] =
    now > timestampMs
      ? (['timestamp_too_old', `${seconds(now - timestampMs)} ago`] as const)
      : (['timestamp_in_future', `${seconds(timestampMs - now)} in the future`] as const);
  throw new WebhookVerificationError(
    code,
    `The delivery was signed ${when}, and toleranceSeconds allows ${seconds(toleranceMs)}. Check this machine's clock; ` +
      'where the emulator sent it, give its clock: now: () => service.clock.now().',
    true,
  );
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 100) / 10)} seconds`;
}

function parsePayload(body: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    // A byte-order mark is part of what is signed, and no part of the JSON: the decoder drops it.
    value = parseJson(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    // The parser's own message would quote the body.
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new WebhookVerificationError('invalid_payload', 'The body is signed, but it is no JSON object in UTF-8.', true);
}

// The headers are not signed, so that the body alone says what the event is.
function checkAgreement(
  code: 'event_id_mismatch' | 'event_type_mismatch',
  what: string,
  header: string | undefined,
  field: unknown,
): void {
  if (header === undefined || typeof field !== 'string' || header === field) return;
  throw new WebhookVerificationError(code, `The header's event ${what} is not the body's.`, true);
}
