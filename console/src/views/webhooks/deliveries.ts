import { computed } from '@preact/signals';
import type { NotificationSubscription } from 'social-publishing';
import { onlyFailed } from '../../parts/OutcomeFilter.js';
import { choiceOf, unknownId } from '../../state/choice.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { setParams, view, viewParam } from '../../state/route.js';
import { remote } from '../../state/remote.js';
import { get, post } from '../../world/workbench.js';

/** A delivery attempt, as the control API shows it. */
export interface Delivery {
  readonly id: string;
  readonly subscriptionId: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly attempt: number;
  readonly replayOf?: string;
  readonly url: string;
  readonly at: string;
  readonly ok: boolean;
  readonly status?: number;
  readonly error?: string;
  /** When the next attempt is due. */
  readonly retryAt?: string;
  /** The beginning of the receiver's reply. */
  readonly reply?: string;
  readonly latencyMs?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns the number of milliseconds that the receiver took, for the user. */
export const latencyOf = ({ latencyMs }: Delivery): string =>
  latencyMs === undefined ? '' : `${latencyMs.toLocaleString('en-GB')} ms`;

/** Returns the result of an attempt: `Delivered (200)`, `Failed (500)`. */
export function resultOf({ ok, status, error }: Delivery): string {
  if (ok) return status === undefined ? 'Delivered' : `Delivered (${status})`;
  if (status !== undefined) return `Failed (${status})`;
  return error === undefined ? 'Failed' : error.charAt(0).toUpperCase() + error.slice(1);
}

/** Returns the result without its details, for places with little room. */
export function shortResultOf(delivery: Delivery): string {
  return resultOf(delivery).split(':')[0] ?? '';
}

/** The post of a delivered event. */
export interface DeliveredPost {
  readonly postId: string;
  readonly content: string;
}

const deliveredPosts = new WeakMap<Delivery, DeliveredPost>();

/** Returns the post that an event is about. Undefined if the body has none. */
export function postOf(delivery: Delivery): DeliveredPost | undefined {
  const known = deliveredPosts.get(delivery);
  if (known !== undefined) return known;
  // The emulator wrote the body. A restored state may contain anything.
  const { data } = (parsedBody(delivery) ?? {}) as { data?: { post?: { id?: unknown; content?: unknown } } };
  const { id, content } = data?.post ?? {};
  if (typeof id !== 'string') return undefined;
  const post = { postId: id, content: typeof content === 'string' ? content : '' };
  deliveredPosts.set(delivery, post);
  return post;
}

function parsedBody({ body }: Delivery): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Returns the key of an event in the list of deliveries. */
export const eventKeyOf = ({ eventId, subscriptionId }: Delivery): string => `${eventId} ${subscriptionId}`;

/** All attempts of one event to one subscription. */
export interface EventDeliveries {
  readonly key: string;
  readonly first: Delivery;
  readonly attempts: readonly Delivery[];
}

const shownDeliveries = 1_000;

export const deliveries = remote<readonly Delivery[]>(
  async () =>
    (await get<{ readonly deliveries: readonly Delivery[] }>(`deliveries?limit=${shownDeliveries}`)).deliveries,
  ['delivery'],
);

/** The API document shows no list of subscriptions. The control API returns them, including their secrets. */
export const subscriptions = remote(
  async () =>
    (await get<{ readonly subscriptions: readonly NotificationSubscription[] }>('subscriptions')).subscriptions,
  ['subscription'],
);

/** Groups deliveries by event and subscription, in their order. */
export function eventsOf(all: readonly Delivery[]): readonly EventDeliveries[] {
  const groups = new Map<string, Delivery[]>();
  for (const delivery of all) {
    const key = eventKeyOf(delivery);
    groups.set(key, [...(groups.get(key) ?? []), delivery]);
  }
  return [...groups].flatMap(([key, attempts]) =>
    attempts[0] === undefined ? [] : [{ key, first: attempts[0], attempts }],
  );
}

/** All events, the latest first. Seeded and imported deliveries may be older than those before them. */
export const events = computed<readonly EventDeliveries[]>(() =>
  eventsOf(deliveries.value.value ?? [])
    .toReversed()
    .sort((a, b) => Date.parse(b.first.at) - Date.parse(a.first.at)),
);

const tabName = viewParam('webhooks', 'show', 'push');

export type Tab = 'deliveries' | 'subscriptions';

/** The part of the view that is shown. */
export const tab = {
  get value(): Tab {
    return tabName.value === 'subscriptions' ? 'subscriptions' : 'deliveries';
  },
  set value(name: Tab) {
    tabName.value = name === 'deliveries' ? '' : name;
  },
};

/** `failed` or, for all, `''`. */
export const outcome = viewParam('webhooks', 'outcome');

const eventId = viewParam('webhooks', 'event', 'push');

/** The events that match the filter, and the chosen one: a repeated delivery may succeed while a user looks at it. */
export const shownEvents = computed(() => {
  const { value } = eventId;
  if (outcome.value !== onlyFailed) return events.value;
  return events.value.filter((event) => isUndelivered(event) || event.key === value);
});

export const shownEvent = choiceOf(shownEvents, ({ key }) => key, eventId);

/** A delivery that the filter hides exists. */
export const unknownEvent = unknownId(events, ({ key }) => key, eventId);

/** Returns the attempt that decides: an accepted one is enough, else the latest says why. */
export const decisiveOf = ({ first, attempts }: EventDeliveries): Delivery =>
  attempts.find(({ ok }) => ok) ?? attempts.at(-1) ?? first;

/** Returns the failed attempt after which another one follows. Undefined: the event was delivered, or none follows. */
export function retriedAttempt(event: EventDeliveries): Delivery | undefined {
  if (decisiveOf(event).ok) return undefined;
  const last = event.attempts.findLast(({ replayOf }) => replayOf === undefined);
  return last?.retryAt === undefined ? undefined : last;
}

const isUndelivered = (event: EventDeliveries): boolean => !decisiveOf(event).ok && retriedAttempt(event) === undefined;

export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url;
}

/** Repeats a delivery: the same event, signed again. */
export async function deliverAgain(delivery: Delivery, times: number): Promise<void> {
  const { id } = delivery;
  // It stays chosen, also if it no longer matches the filter.
  if (view.value === 'webhooks') setParams({ event: eventKeyOf(delivery) }, 'replace');
  const { deliveries: sent } = await post<{ readonly deliveries: readonly Delivery[] }>(
    `deliveries/${encodeURIComponent(id)}/replay`,
    { times },
  );
  const taken = sent.filter(({ ok }) => ok).length;
  notify(
    `Sent ${times === 1 ? 'again' : 'twice'}: the receiver accepted ${taken} of ${sent.length}.`,
    taken > 0 ? 'good' : 'bad',
  );
  changed('delivery');
}
