import { computed, signal } from '@preact/signals';
import { listenToEvents } from './event-stream.js';
import { noAnswer } from '../world/workbench.js';
import { wordsOfRead } from '../world/words.js';
import { forgetEarlierState, forgetUncertain } from './earlier-state.js';
import { announce, notify } from './notices.js';
import { notifyAllChanged, notifyChanged, type ChangeKind } from './change-events.js';
import { readSession } from '../world/read-session.js';
import { repeatWhile } from './timers.js';
import { isVisible } from './visibility.js';

/** How the page receives changes. */
export type FeedState = 'connecting' | 'live' | 'polling' | 'lost';

export const connection = signal<FeedState>('connecting');

/** Why the emulator is lost, for the user. */
export const lostWords = signal<string>(noAnswer);

/** Whether the emulator answers, as far as the page knows. */
export const isAnswering = computed(() => connection.value === 'live' || connection.value === 'polling');

/** The polling interval if the event stream fails. */
const pollMs = 3_000;
/** The browser reopens a broken stream; after this number of failures in a row, the page polls too. */
const patience = 2;

/** Events that are named after their subject and contain it. */
const told = ['post', 'request', 'delivery', 'clock'] as const satisfies readonly ChangeKind[];

/** The data that a request may have changed, by the beginning of its path. */
const changedBy: readonly (readonly [path: RegExp, kinds: readonly ChangeKind[]])[] = [
  [/\/v1\/connect\//, ['account']],
  [/\/v1\/apps\//, ['account']],
  [/\/v1\/messages\//, ['message']],
  [/\/v1\/comment-automations\//, ['automation']],
  [/\/v1\/notifications\//, ['subscription']],
];

/** The data that seeds add in addition to posts. */
const seeded: readonly ChangeKind[] = ['account', 'comment', 'message', 'automation', 'subscription'];

/** The data that incoming comments and messages change, including the runs that they trigger. */
const incoming: readonly ChangeKind[] = ['comment', 'message', 'automation'];

/** Reports a change made by the page. If the stream works, the change is reported there. */
export function changed(...kinds: readonly ChangeKind[]): void {
  if (connection.value !== 'live') for (const kind of kinds) notifyChanged(kind);
}

/** A tab that is hidden for longer closes its stream: browsers allow few connections to one server. */
const hiddenMs = 10_000;

let failures = 0;
/** Whether changes may have happened that no stream reported. */
let hasGap = false;
let stopListening: (() => void) | undefined;

/** Listens to changes of the emulator from now on, except while the tab is hidden. */
export function connect(): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  isVisible.subscribe((isShown) => {
    clearTimeout(timer);
    if (!isShown) timer = setTimeout(disconnect, hiddenMs);
    else stopListening ??= listenToEvents([...told, 'scenario', 'state'], { onOpen, onError, onEvent });
  });
}

function disconnect(): void {
  stopListening?.();
  stopListening = undefined;
  hasGap = true;
  if (connection.value === 'live') connection.value = 'connecting';
}

function onOpen(isNew: boolean): void {
  // Another tab began to listen to the stream.
  if (connection.value === 'live' && !isNew) return;
  // Changes during the gap were not reported. If the tab with the stream left, the gap is short.
  const mayMiss = hasGap || connection.value === 'live';
  if (hasGap) forgetUncertain();
  [failures, hasGap] = [0, false];
  connection.value = 'live';
  if (mayMiss) void readAllAgain();
}

function onError(): void {
  failures += 1;
  hasGap = true;
  // Only a request shows whether the emulator answers. Until then, the known state stays, because screen readers
  // announce each change.
  if (connection.value === 'live') connection.value = 'connecting';
  if (connection.value === 'connecting' && failures > patience) void look();
}

function onEvent(name: string, data: string): void {
  const detail: unknown = JSON.parse(data);
  if (name === 'scenario') notifyChanged('fault');
  // The emulator names what changed.
  else if (name === 'state') tellOfState((detail as { what: string }).what);
  else notifyChanged(name as ChangeKind, detail);
  // The emulator sends the request or the delivery itself.
  if (name === 'request') tellOfRequest(detail as { method: string; path: string });
  if (name === 'delivery') announceDelivery(detail as { eventType: string; ok: boolean });
}

/** Called when a read got no answer. Finds out whether the emulator is gone. */
export async function checkConnection(): Promise<void> {
  if (connection.value === 'connecting') await look();
}

const isPolling = computed(() => connection.value === 'polling' || connection.value === 'lost');

repeatWhile(isPolling, pollMs, () => void look());

let isLooking = false;

/** Polls without the stream: is the emulator reachable, and what changed? It may be a new one with another access key. */
async function look(): Promise<void> {
  // An answer may take longer than the interval.
  if (isLooking) return;
  isLooking = true;
  try {
    const isOther = await readSession();
    if (connection.value === 'lost') forgetUncertain();
    if (isOther) tellOfRestart();
    else if (connection.value === 'lost') notify('The emulator answers again.');
    if (connection.value !== 'live') connection.value = 'polling';
    notifyAllChanged();
  } catch (error) {
    lostWords.value = wordsOfRead(error);
    if (connection.value !== 'live') connection.value = 'lost';
  } finally {
    isLooking = false;
  }
}

/** Called when the stream works again. */
async function readAllAgain(): Promise<void> {
  try {
    if (await readSession()) tellOfRestart();
  } catch {
    // Each read shows why it fails.
  }
  notifyAllChanged();
}

function tellOfRestart(): void {
  forgetEarlierState();
  notify('The emulator was started again. This page shows its new data.');
}

function tellOfRequest({ method, path }: { readonly method: string; readonly path: string }): void {
  if (method === 'GET') return;
  for (const [pattern, kinds] of changedBy) if (pattern.test(path)) for (const kind of kinds) notifyChanged(kind);
}

function tellOfState(what: string): void {
  if (what === 'requests') notifyChanged('request');
  else if (what === 'deliveries') notifyChanged('delivery');
  else if (what === 'faults' || what === 'outcomes' || what === 'scenario') notifyChanged('fault');
  else if (what === 'accounts') notifyChanged('account');
  // Posts have their own events.
  else if (what === 'seed') for (const kind of seeded) notifyChanged(kind);
  else if (what === 'incoming') for (const kind of incoming) notifyChanged(kind);
  else {
    // The whole state was replaced.
    forgetEarlierState();
    notifyAllChanged();
  }
}

function announceDelivery({ eventType, ok }: { readonly eventType: string; readonly ok: boolean }): void {
  announce(`Webhook ${eventType} ${ok ? 'delivered' : 'not delivered'}`);
}
