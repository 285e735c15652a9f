import { remote, type Remote } from '../../state/remote.js';
import { viewParam, type AddressValue } from '../../state/route.js';
import { get } from '../../world/workbench.js';

/** An intent of the observed publisher, as the control API shows it. */
export interface ShownIntent {
  readonly key: string;
  readonly state: string;
  readonly content?: unknown;
  /** When it is sent. Missing: it does not wait. */
  readonly sendAt?: string;
  readonly postId?: string;
  readonly error?: string;
  readonly lookup?: IntentSearch;
  readonly attempts: number;
  readonly updatedAt: string;
}

/** The last search for the post of an intent in doubt. */
export interface IntentSearch {
  readonly result: string;
  /** The IDs of the candidates. */
  readonly postIds?: readonly string[];
}

/** An event of the observed inbox, as the control API shows it. */
export interface ShownInboxEvent {
  readonly state: string;
  readonly id: string;
  readonly type?: string;
  readonly failures?: number;
  readonly dueAt?: string;
}

/** Items, and the number of all items by state. */
interface ObservedPage<Item> {
  readonly counts: Readonly<Record<string, number>>;
  readonly items: readonly Item[];
}

/** A list with a filter: `''` shows every state. */
export interface StateList<Item> extends Remote<ObservedPage<Item>> {
  readonly state: AddressValue;
}

function stateList<Item>(path: string, name: string): StateList<Item> {
  const state = viewParam('durable', name);
  const filter = () => (state.value === '' ? '' : `?state=${encodeURIComponent(state.value)}`);
  // Posts and deliveries change when a publisher or an inbox works.
  const list = remote(() => get<ObservedPage<Item>>(`${path}${filter()}`), ['post', 'delivery', 'request']);
  return { ...list, state };
}

export const intents = stateList<ShownIntent>('intents', 'intents');
export const inboxEvents = stateList<ShownInboxEvent>('inbox', 'events');
