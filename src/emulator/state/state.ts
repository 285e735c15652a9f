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

interface Scalars {
  time: number;
  random: number;
  creditsUsed: number;
  publishingMs: number;
}

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
export interface State extends Scalars, Collections {
  readonly counters: Record<string, number>;
}

const byTime = (a: Job, b: Job) => a.at - b.at || a.order - b.order;

export function emptyState(time: number, seed: number): State {
  return {
    time,
    random: seed | 0,
    counters: {},
    creditsUsed: 0,
    publishingMs: 0,
    integrations: new Table(),
    apps: new Table(),
    posts: new PostTable(),
    comments: new Table(),
    conversations: new Table(),
    messages: new Table(),
    automations: new Table(),
    logs: new Table(),
    eligiblePosts: new Table(),
    postMetrics: new Table(),
    accountMetrics: new Table(),
    selections: new Table(),
    subscriptions: new Table(),
    outcomes: new Table(),
    jobs: new SortedList(byTime),
    outgoing: new SortedList(byTime),
    underWay: new Table(),
    held: new Table(),
    requests: new SortedList((a, b) => a.order - b.order),
    deliveries: new SortedList((a, b) => a.order - b.order || a.number - b.number),
    faults: new Table(),
    deliveryFaults: new Table(),
  };
}

/** Returns an independent copy of a state. Its cost does not depend on the size. */
export function forkState(state: State): State {
  return {
    ...state,
    counters: { ...state.counters },
    integrations: state.integrations.fork(),
    apps: state.apps.fork(),
    posts: state.posts.fork(),
    comments: state.comments.fork(),
    conversations: state.conversations.fork(),
    messages: state.messages.fork(),
    automations: state.automations.fork(),
    logs: state.logs.fork(),
    eligiblePosts: state.eligiblePosts.fork(),
    postMetrics: state.postMetrics.fork(),
    accountMetrics: state.accountMetrics.fork(),
    selections: state.selections.fork(),
    subscriptions: state.subscriptions.fork(),
    outcomes: state.outcomes.fork(),
    jobs: state.jobs.fork(),
    outgoing: state.outgoing.fork(),
    underWay: state.underWay.fork(),
    held: state.held.fork(),
    requests: state.requests.fork(),
    deliveries: state.deliveries.fork(),
    faults: state.faults.fork(),
    deliveryFaults: state.deliveryFaults.fork(),
  };
}
