import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { parseUrl } from '../../core/parse-url.js';
import type { DurableStore } from '../../publisher/index.js';
import { createWebhookInbox, signWebhook, type InboxEvent, type WebhookInbox } from '../../webhooks/index.js';
import { UsageError, interruptedCode, type ExitCode } from '../errors.js';
import { connect } from '../connection.js';
import { findSecret } from '../input.js';
import { prefixedStore, Source, watchEmulator, withoutTime } from './listen-source.js';
import { withStore } from '../store.js';
import { messageOf } from '../report-error.js';
import { kebab, type Session } from '../command.js';
import { printable } from '../output.js';

/** After this time, another run repeats an interrupted delivery. This run does not repeat a slow delivery. */
const leaseMs = 3_000;
const longestBackoffMs = 30_000;
const pollSeconds = { service: 60, emulator: 5 };

export async function listen(session: Session): Promise<ExitCode> {
  const { world, output } = session;
  const url = readReceiver(session, 'forwardTo');
  const secret = await readWebhookSecret(session);
  const client = await connect(session);
  const { baseUrl } = client;
  const since = session.time('since');
  await withStore(session, {}, async (store, place) => {
    const own = ownPart(store, url, baseUrl);
    const inbox = inboxFor(session, { url, secret, store: own });
    // The event is dead if runs were killed repeatedly during its delivery.
    for await (const { id } of inbox.dead()) await inbox.replay(id);
    const worker = inbox.start({ pollMs: 500 });
    const source = new Source({ client, inbox, store: own, secret });
    try {
      await source.begin(since, world.now());
      const changes = new EventTarget();
      const isEmulator = watchEmulator(baseUrl, world.signal, changes);
      const seconds = session.wholeNumber('poll') ?? ((await isEmulator) ? pollSeconds.emulator : pollSeconds.service);
      output.note(`Events of ${baseUrl} go to ${url.href} until Ctrl-C. ${place.name} keeps the state.`);
      await pollUntilStopped(session, source, { everyMs: seconds * 1000, changes });
    } finally {
      await worker.stop();
    }
  });
  return interruptedCode(world.signal);
}

/** The part of the store for this receiver and base URL. */
function ownPart(store: DurableStore, receiver: URL, baseUrl: string): DurableStore {
  const name = createHash('sha256').update(`${receiver.href} ${baseUrl}`).digest('hex').slice(0, 16);
  return prefixedStore(store, `listen/${name}/`);
}

interface Receiver {
  readonly url: URL;
  readonly secret: string;
  readonly store: DurableStore;
}

class NotAcceptedError extends Error {}

/** The inbox keeps each event until the receiver has accepted it. */
function inboxFor({ output }: Session, { url, secret, store }: Receiver): WebhookInbox {
  const forward = async (event: InboxEvent) => {
    const delivered = await deliver(url, bodyOf(event), secret);
    const { ok, status, reply, error } = delivered;
    const said = ok ? 'accepted' : 'will be repeated';
    const shown = [String(status ?? 'no reply'), said, printable(reply ?? error ?? '')].join('  ').trimEnd();
    const [eventId, type] = [withoutTime(event.id), event.type];
    if (output.format === 'text') output.line(`${type}  ${eventId}  ${shown}`);
    else output.line(JSON.stringify({ eventId, type, ...delivered }));
    if (!ok) throw new NotAcceptedError(said);
  };
  return createWebhookInbox({
    secret,
    store,
    on: { default: forward },
    maxAttempts: Number.MAX_SAFE_INTEGER,
    backoff: (attempt) => Math.min(1000 * 2 ** (attempt - 1), longestBackoffMs),
    leaseMs,
    toleranceSeconds: false,
    onError: (error) => {
      // The output line of the delivery already shows the error.
      if (!(error instanceof NotAcceptedError)) output.note(messageOf(error));
    },
  });
}

/** Every attempt sends the same text. */
function bodyOf(event: InboxEvent): string {
  if (!event.known) return JSON.stringify(event.payload);
  const { known: _known, recovered: _recovered, ...body } = event;
  const post = { ...body.data.post, id: withoutTime(body.data.post.id) };
  return JSON.stringify({ ...body, id: withoutTime(body.id), data: { ...body.data, post } });
}

/** Polls at once, then in each interval and with each change, until Ctrl-C. */
async function pollUntilStopped(
  { world, output }: Session,
  source: Source,
  { everyMs, changes }: { everyMs: number; changes: EventTarget },
): Promise<void> {
  while (!world.signal.aborted) {
    const pause = new AbortController();
    const signal = AbortSignal.any([world.signal, pause.signal]);
    // A change during a read causes the next one.
    const changed = once(changes, 'change', { signal }).catch(() => undefined);
    await source.poll(world.now()).catch((error: unknown) => {
      output.note(`The events could not be read or stored: ${messageOf(error)}. The next read covers this time too.`);
    });
    const timer = setTimeout(() => {
      pause.abort();
    }, everyMs);
    await changed;
    clearTimeout(timer);
  }
}

// Deliveries to a receiver, which `webhooks trigger` sends too.

const secretVariable = 'SOCIAL_PUBLISHING_WEBHOOK_SECRET';

/** Reads the signing secret from a file or the environment. */
export async function readWebhookSecret(session: Session): Promise<string> {
  const secret = await findSecret(session, 'secretFile', secretVariable);
  if (secret !== undefined) return secret;
  throw new UsageError(`The signing secret is missing. Set ${secretVariable}, or pass --secret-file FILE.`);
}

export function readReceiver(session: Session, name: 'to' | 'forwardTo'): URL {
  const flag = kebab(name);
  const url = parseUrl(session.text(name) ?? '');
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:')
    throw new UsageError(`--${flag} must be a URL such as http://127.0.0.1:3000/webhooks.`);
  // The command prints the URL.
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`--${flag} must be a URL without a user name and password.`);
  return url;
}

/** The service waits this long for a receiver (API document: Delivery). */
const receiverTimeoutMs = 10_000;
/** The number of characters of a reply that a line shows. */
const shownReply = 200;

export interface Delivered {
  readonly ok: boolean;
  readonly status?: number;
  /** The start of the reply's body. */
  readonly reply?: string;
  /** The reason, if no reply came. */
  readonly error?: string;
}

/** Sends a signed body to a receiver. It never rejects. */
export async function deliver(url: URL, body: string, secret: string): Promise<Delivered> {
  const headers = await signWebhook({ body, secret });
  try {
    const signal = AbortSignal.timeout(receiverTimeoutMs);
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal });
    // The status alone decides (API document: Delivery), even if the body breaks off.
    const reply = (await response.text().catch(() => '')).slice(0, shownReply);
    return { ok: response.ok, status: response.status, ...(reply === '' ? {} : { reply }) };
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return { ok: false, error: messageOf(cause instanceof Error ? cause : error) };
  }
}
