import { computed, signal } from '@preact/signals';
import { announce } from './notices.js';
import { notifyAllChanged, notifyChanged, type ChangeKind } from './change-events.js';
import { repeatWhile } from './timers.js';

/** How the page learns of what happens. */
export type FeedState = 'connecting' | 'live' | 'polling' | 'lost';

export const connection = signal<FeedState>('connecting');

/** How often everything is read again where the stream of events does not come through. */
const pollMs = 3_000;
/** A stream that breaks is opened again by the browser; after so many tries in a row it is helped out by polling. */
const patience = 2;

/** Events that go by the name of what they concern, and bring it along. */
const told = ['post', 'request', 'delivery', 'clock'] as const satisfies readonly ChangeKind[];

/** What a request may have changed, by the beginning of its path. */
const changedBy: readonly (readonly [path: RegExp, kinds: readonly ChangeKind[]])[] = [
  [/\/v1\/connect\//, ['account']],
  [/\/v1\/apps\//, ['account']],
  [/\/v1\/messages\//, ['message']],
  [/\/v1\/comment-automations\//, ['automation']],
  [/\/v1\/notifications\//, ['subscription']],
];

/** What seeds add beside posts. */
const seeded: readonly ChangeKind[] = ['account', 'comment', 'message', 'automation', 'subscription'];

/** What comments and messages that come in change, and the runs that they set off. */
const incoming: readonly ChangeKind[] = ['comment', 'message', 'automation'];

/** After a change of the page's own. While the stream comes through, the change tells of itself. */
export function changed(...kinds: readonly ChangeKind[]): void {
  if (connection.value !== 'live') for (const kind of kinds) notifyChanged(kind);
}

let failures = 0;

/** Listens to what happens at the emulator from now on. */
export function connect(): void {
  const source = new EventSource('./_emulator/events');
  source.addEventListener('open', () => {
    const wasGone = failures > 0;
    failures = 0;
    connection.value = 'live';
    // What happened meanwhile was not told.
    if (wasGone) notifyAllChanged();
  });
  source.addEventListener('error', () => {
    failures += 1;
    connection.value = failures > patience ? 'polling' : 'connecting';
    if (source.readyState !== EventSource.CLOSED) return;
    // The browser has given up; a server that comes back should find the page waiting.
    setTimeout(connect, pollMs);
  });
  for (const name of told) {
    source.addEventListener(name, (event: MessageEvent<string>) => {
      const detail: unknown = JSON.parse(event.data);
      notifyChanged(name, detail);
      if (name === 'request') tellOfRequest(detail as { method: string; path: string });
      if (name === 'delivery') announceDelivery(detail as { eventType: string; ok: boolean });
    });
  }
  source.addEventListener('state', (event: MessageEvent<string>) => {
    tellOfState((JSON.parse(event.data) as { what: string }).what);
  });
}

const isPolling = computed(() => connection.value === 'polling' || connection.value === 'lost');

repeatWhile(isPolling, pollMs, () => void look());

/** Without the stream: is anybody there, and what has changed? */
async function look(): Promise<void> {
  try {
    const response = await fetch('./_emulator/clock');
    connection.value = response.ok ? 'polling' : 'lost';
    if (response.ok) notifyAllChanged();
  } catch {
    connection.value = 'lost';
  }
}

function tellOfRequest({ method, path }: { readonly method: string; readonly path: string }): void {
  if (method === 'GET') return;
  for (const [pattern, kinds] of changedBy) if (pattern.test(path)) for (const kind of kinds) notifyChanged(kind);
}

function tellOfState(what: string): void {
  if (what === 'requests') notifyChanged('request');
  else if (what === 'deliveries') notifyChanged('delivery');
  else if (what === 'faults' || what === 'outcomes') notifyChanged('fault');
  // Posts tell of themselves.
  else if (what === 'seed') for (const kind of seeded) notifyChanged(kind);
  else if (what === 'incoming') for (const kind of incoming) notifyChanged(kind);
  else notifyAllChanged();
}

function announceDelivery({ eventType, ok }: { readonly eventType: string; readonly ok: boolean }): void {
  announce(`Webhook ${eventType} ${ok ? 'delivered' : 'not delivered'}`);
}
