import { computed } from '@preact/signals';
import { get } from '../world/workbench.js';
import { accounts, isConnected } from './accounts.js';
import { automations } from './automations.js';
import { onChanged } from './change-events.js';
import { problemFilter, matchesFilter } from './post-filter.js';
import { posts, postsRead } from './posts.js';
import { remote } from './remote.js';
import { addressWith, viewNames, type ViewName } from './route.js';

interface FailureState {
  readonly requests: number;
  /** The events that were not delivered, by event and subscription. */
  readonly undelivered: ReadonlySet<string>;
}

interface EventKey {
  readonly eventId: string;
  readonly subscriptionId: string;
}

const keyOf = ({ eventId, subscriptionId }: EventKey) => `${eventId} ${subscriptionId}`;

const failures = remote<FailureState>(async () => {
  const { requests, undelivered } = await get<{
    readonly requests: number;
    readonly undelivered: readonly EventKey[];
  }>('failures');
  return { requests, undelivered: new Set(undelivered.map(keyOf)) };
});

/** Starts to count failures. */
export function watchFailures(): void {
  failures.watch();
  automations.watch();
}

/** Whether a client gets an error from a request. */
export const isFailed = ({ status }: { readonly status?: number }): boolean => status === undefined || status >= 400;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

onChanged('request', (detail) => {
  const { value } = failures.value;
  if (!isObject(detail) || value === undefined) failures.refresh();
  else if (isFailed(detail)) failures.put({ ...value, requests: value.requests + 1 });
});

onChanged('delivery', (detail) => {
  const { value } = failures.value;
  if (!isObject(detail) || value === undefined) {
    failures.refresh();
    return;
  }
  // The emulator sends a delivery.
  const delivery = detail as EventKey & { readonly ok: boolean; readonly retryAt?: string; readonly replayOf?: string };
  // A replay that fails changes nothing: the event was delivered before, or was not.
  if (!delivery.ok && delivery.replayOf !== undefined) return;
  const key = keyOf(delivery);
  const isUndelivered = !delivery.ok && delivery.retryAt === undefined;
  if (value.undelivered.has(key) === isUndelivered) return;
  const undelivered = new Set(value.undelivered);
  if (isUndelivered) undelivered.add(key);
  else undelivered.delete(key);
  failures.put({ ...value, undelivered });
});

/** The number of failures in a view, and where they are listed. */
interface FailureCount {
  readonly count: number;
  readonly words: string;
  readonly address: string;
}

/** A part of the posts would give a wrong number. */
const failedPosts = computed(() =>
  postsRead.value ? posts.value.filter((post) => matchesFilter(post, problemFilter)).length : 0,
);

const brokenAccounts = computed(() => (accounts.value.value ?? []).filter((account) => !isConnected(account)).length);

/** The automations with failed runs. */
const failingAutomations = computed(() =>
  (automations.value.value ?? []).flatMap(({ id, stats }) => {
    const failed = stats?.failed ?? 0;
    return failed > 0 ? [{ id, failed }] : [];
  }),
);

/** Returns the failures in a view; undefined if the view counts none. */
export function failuresIn(view: ViewName): FailureCount | undefined {
  const { requests = 0, undelivered } = failures.value.value ?? {};
  switch (view) {
    case 'posts':
      return {
        count: failedPosts.value,
        words: 'failed or partial',
        address: addressWith('posts', { status: problemFilter.status }),
      };
    case 'accounts':
      return {
        count: brokenAccounts.value,
        words: 'not connected',
        address: addressWith('accounts', { outcome: 'failed' }),
      };
    case 'automations':
      return {
        count: failingAutomations.value.reduce((sum, { failed }) => sum + failed, 0),
        words: 'failed runs',
        address: addressWith('automations', { outcome: 'failed', automation: failingAutomations.value[0]?.id ?? '' }),
      };
    case 'webhooks':
      return {
        count: undelivered?.size ?? 0,
        words: 'not delivered',
        address: addressWith('webhooks', { outcome: 'failed' }),
      };
    case 'requests':
      return { count: requests, words: 'failed', address: addressWith('requests', { outcome: 'failed' }) };
    default:
      return undefined;
  }
}

/** The number of failures in all views. */
export const failuresInViews = computed(() => viewNames.reduce((sum, name) => sum + (failuresIn(name)?.count ?? 0), 0));
