import { ConfigurationError, WebhookVerificationError } from '../../core/errors.js';
import { checkPassed, isFunction, optional, optionsOf, unchecked } from '../../core/call/options.js';
import type { WebhookEvent } from '../../model/events.js';
import { readHeaders, type WebhookHeaders } from './headers.js';
import { parseEvent, readPayload } from './events.js';
import {
  bytesOf,
  checkSecrets,
  currentSecrets,
  signedBytes,
  verifyHmac,
  type RawBody,
  type WebhookSecret,
} from './signatures.js';

/** Options of {@link verifyWebhook}. */
export interface VerifyWebhookOptions {
  /** The body as received: the bytes, or their text. A parsed body cannot be verified. */
  readonly body: RawBody;
  /** The headers of the delivery. */
  readonly headers: WebhookHeaders;
  /** The signing secret of the subscription, several secrets during a rotation, or a function that returns them. */
  readonly secret: WebhookSecret;
  /**
   * Tolerance for the timestamp of a delivery, in seconds before or after now: a finite number above 0. Default 300.
   * `false`: no limit. Then an attacker who recorded a delivery can send it again at any time.
   */
  readonly toleranceSeconds?: number | false | undefined;
  /** The clock, in milliseconds since 1970, for tests. Default: `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The largest accepted body, in bytes. The service's own limit is not documented. */
export const maxBodyBytes = 1_048_576;

const defaultToleranceSeconds = 300;

/** Checks the option `toleranceSeconds`. */
export const isTolerance = optional(
  'a finite number above 0, or false for no limit',
  (value) => value === false || (Number.isFinite(value) && Number(value) > 0),
);

const checks = {
  body: unchecked,
  headers: unchecked,
  secret: unchecked,
  toleranceSeconds: isTolerance,
  now: isFunction,
};

/**
 * Verifies the signature, the time and the form of a delivery, and resolves to its event. It does not detect repeats:
 * the service may deliver an event up to three times. To process each `event.id` once, use `createWebhookReceiver`.
 *
 * API document: Events.
 *
 * @example
 * ```ts
 * const event = await verifyWebhook({ body: await request.text(), headers: request.headers, secret });
 * ```
 *
 * @throws {@link WebhookVerificationError} the delivery must not be trusted; `code` names the failed check
 * @throws {@link ConfigurationError} the secret or another option is invalid
 */
export async function verifyWebhook(options: VerifyWebhookOptions): Promise<WebhookEvent> {
  // Callers may pass an object that has other fields too, for example a request.
  checkPassed(optionsOf<VerifyWebhookOptions>('an option of verifyWebhook', checks, 'unlike'), options);
  return (await verifyDelivery(options)).event;
}

export interface VerifiedDelivery {
  readonly event: WebhookEvent;
  /** The signed body. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The text of the body, without a byte-order mark. The event contains its JSON. */
  readonly text: string;
  /** The current secrets of the subscription. */
  readonly secrets: readonly string[];
}

/** Does the work of {@link verifyWebhook} with checked options, and returns more of its results. */
export async function verifyDelivery(options: VerifyWebhookOptions): Promise<VerifiedDelivery> {
  // A function may call another machine, so it is called only if the form of the delivery is valid.
  if (typeof options.secret !== 'function') checkSecrets(options.secret);
  const headers = readHeaders(options.headers);
  // The rest uses only this copy: the parsed bytes are the signed bytes.
  const signed = signedBytes(headers.timestamp, checkBody(options.body));
  const secrets = await currentSecrets(options.secret);
  if (!(await isSigned(secrets, headers.signature, signed))) {
    throw new WebhookVerificationError(
      'signature_mismatch',
      'The signature does not match the body. Check that the secret belongs to this subscription, without a space or a ' +
        'line break around it. Also check that you pass the body byte for byte as received.',
    );
  }
  checkTime(Number(headers.timestamp) * 1000, options);
  const body = signed.subarray(headers.timestamp.length + 1);
  const read = readPayload(body);
  if (read === undefined) {
    throw new WebhookVerificationError(
      'invalid_payload',
      'The signature is valid, but the body is not a JSON object in UTF-8.',
      true,
    );
  }
  const { text, payload } = read;
  checkAgreement('ID', headers.eventId, payload.id);
  checkAgreement('type', headers.eventType, payload.type);
  return { event: parseEvent(payload), body, text, secrets };
}

function checkBody(body: unknown): Uint8Array {
  // A text has at least as many bytes as characters, so a large one is refused without encoding it.
  if (typeof body === 'string' && body.length > maxBodyBytes) throw bodyTooLarge();
  const bytes = bytesOf(body);
  if (bytes === undefined) throw bodyNotRaw();
  if (bytes.length > maxBodyBytes) throw bodyTooLarge();
  return bytes;
}

export function bodyTooLarge(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_too_large',
    `The body of the delivery has more than ${String(maxBodyBytes)} bytes, and was not verified.`,
  );
}

export function bodyNotRaw(): WebhookVerificationError {
  return new WebhookVerificationError(
    'body_not_raw',
    'The body is not raw: pass its bytes or text as received. Usually a body parser ran before. Express: mount this route ' +
      'before express.json(), or use express.raw({ type: "application/json", limit: "1mb" }): without the limit, it refuses ' +
      'events above 100 kB. NestJS: pass { rawBody: true } to NestFactory.create, and request.rawBody to verifyWebhook. ' +
      'Fastify: in the scope of this route, call removeAllContentTypeParsers() and add a parser for "*" that reads nothing. If ' +
      'you keep a parser with parseAs "buffer", pass request.body to verifyWebhook. Next.js and Hono: await request.text(). ' +
      'Lambda: event.body, decoded if isBase64Encoded.',
  );
}

async function isSigned(
  secrets: readonly string[],
  signature: string,
  signed: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const digest = Uint8Array.from(signature.match(/../g) ?? [], (digits) => Number.parseInt(digits, 16));
  for (const secret of secrets) if (await verifyHmac(secret, digest, signed)) return true;
  return false;
}

// After the HMAC: the API document does not say whether a retry is signed anew, and `signatureValid` distinguishes an old
// delivery from a forged one.
function checkTime(timestampMs: number, { toleranceSeconds, now: clock = Date.now }: VerifyWebhookOptions): void {
  const toleranceMs = toleranceSeconds === false ? Infinity : (toleranceSeconds ?? defaultToleranceSeconds) * 1000;
  const now = clock();
  if (!Number.isFinite(now)) throw new ConfigurationError('now() must return a finite number of milliseconds.');
  if (Math.abs(now - timestampMs) <= toleranceMs) return;
  const [code, when] =
    now > timestampMs
      ? (['timestamp_too_old', `${seconds(now - timestampMs)} ago`] as const)
      : (['timestamp_in_future', `${seconds(timestampMs - now)} in the future`] as const);
  throw new WebhookVerificationError(
    code,
    `The delivery was signed ${when}, and toleranceSeconds allows ${seconds(toleranceMs)}. Check the clock of this ` +
      'machine. For deliveries of the emulator, pass its clock: now: () => service.clock.now().',
    true,
  );
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 100) / 10)} seconds`;
}

// The headers are not signed, so the body decides. A header that disagrees is refused.
function checkAgreement(name: 'ID' | 'type', header: string | undefined, field: unknown): void {
  if (header === undefined || typeof field !== 'string' || header === field) return;
  const code = name === 'ID' ? 'event_id_mismatch' : 'event_type_mismatch';
  throw new WebhookVerificationError(code, `The event ${name} in the header differs from the body's.`, true);
}
