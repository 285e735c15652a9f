import type { OAuthApp } from '../../resources/apps.js';
import type { Automation, AutomationLog, EligiblePost } from '../../resources/automations.js';
import type { Comment } from '../../resources/comments.js';
import type { IntegrationDetail } from '../../resources/integrations.js';
import type { Message } from '../../resources/messages.js';
import type { NotificationSubscription } from '../../resources/notifications.js';
import { PostTable, Table } from './table.js';
import type { DeliveryFault, RequestFault } from './fault-kinds.js';
import type {
  ActiveFault,
  Job,
  OutcomeRule,
  StoredAccountMetrics,
  StoredConversation,
  StoredDelivery,
  StoredEvent,
  StoredPostMetrics,
  StoredRequest,
  StoredSelection,
  UnderWay,
} from './stored-records.js';
import { SortedList } from './sorted-list.js';

/** The collections of the state. Forks share unchanged parts. */
interface Collections {
  readonly integrations: Table<IntegrationDetail>;
  readonly apps: Table<OAuthApp>;
  readonly posts: PostTable;
  /** By account and post. */
  readonly comments: Table<readonly Comment[]>;
  readonly conversations: Table<StoredConversation>;
  /** By conversation. */
  readonly messages: Table<readonly Message[]>;
  readonly automations: Table<Automation>;
  /** By automation. */
  readonly logs: Table<readonly AutomationLog[]>;
  /** By account. */
  readonly eligiblePosts: Table<readonly EligiblePost[]>;
  /** By the post's ID. */
  readonly postMetrics: Table<readonly StoredPostMetrics[]>;
  /** By account and day. */
  readonly accountMetrics: Table<StoredAccountMetrics>;
  readonly selections: Table<StoredSelection>;
  readonly subscriptions: Table<NotificationSubscription>;
  readonly outcomes: Table<OutcomeRule>;
  /** All due jobs, except deliveries. */
  readonly jobs: SortedList<Job>;
  /** Due deliveries. */
  readonly outgoing: SortedList<Job>;
  /** Delivery attempts in flight, by their order. */
  readonly underWay: Table<UnderWay>;
  /** Events that a fault holds back until the next event was delivered, by subscription. */
  readonly held: Table<readonly StoredEvent[]>;
  readonly requests: SortedList<StoredRequest>;
  /** In the order of their jobs, not of the replies. */
  readonly deliveries: SortedList<StoredDelivery>;
  readonly faults: Table<ActiveFault<RequestFault>>;
  readonly deliveryFaults: Table<ActiveFault<DeliveryFault>>;
}

/** The complete state of an emulator. */
export interface State extends Collections {
  time: number;
  random: number;
  creditsUsed: number;
  publishingMs: number;
  readonly counters: Record<string, number>;
}

/** The tables of the state. A table comes after the tables that its records refer to. */
export const tables = [
  'integrations',
  'apps',
  'comments',
  'conversations',
  'messages',
  'automations',
  'logs',
  'eligiblePosts',
  'postMetrics',
  'accountMetrics',
  'selections',
  'subscriptions',
  'outcomes',
  'underWay',
  'held',
  'faults',
  'deliveryFaults',
] as const satisfies (keyof Collections)[];

/** The lists of the state, except the posts. */
export const lists = ['jobs', 'outgoing', 'requests', 'deliveries'] as const satisfies (keyof Collections)[];

export const byTime = (a: Job, b: Job) => a.at - b.at || a.order - b.order;

export function emptyState(time: number, seed: number): State {
  return {
    time,
    random: seed | 0,
    counters: {},
    creditsUsed: 0,
    publishingMs: 0,
    // An empty table can hold any records.
    ...(Object.fromEntries(tables.map((name) => [name, new Table()])) as Pick<State, (typeof tables)[number]>),
    posts: new PostTable(),
    jobs: new SortedList(byTime),
    outgoing: new SortedList(byTime),
    requests: new SortedList((a, b) => a.order - b.order),
    deliveries: new SortedList((a, b) => a.order - b.order || a.number - b.number),
  };
}

/** Returns an independent copy of a state. Its cost does not depend on the size. */
export function forkState(state: State): State {
  const names = [...tables, ...lists, 'posts'] as const satisfies (keyof Collections)[];
  // The fork of a collection is one of the same kind.
  const forks = Object.fromEntries(names.map((name) => [name, state[name].fork()])) as unknown as Collections;
  return { ...state, counters: { ...state.counters }, ...forks };
}
