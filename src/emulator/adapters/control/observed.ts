import { optional, optionsOf } from '../../../core/options.js';

/** An intent, as far as it is shown. An `Intent` of `social-publishing/publisher` is one. */
export interface ObservedIntent {
  /** The caller's key. */
  readonly key: string;
  /** The state. */
  readonly state: string;
  /** The body. */
  readonly body: object;
  /** The ID of its post. Missing: not known. */
  readonly postId?: string | undefined;
  /** Why it failed. Missing: it did not fail. */
  readonly error?: { readonly message: string } | undefined;
  /** How many sends were begun. */
  readonly attempts: number;
  /** When it last changed, an ISO 8601 date-time. */
  readonly updatedAt: string;
}

/** An event of an inbox, as far as it is shown. An `InboxEntry` of `social-publishing/webhooks` is one. */
export interface ObservedEvent {
  /** The state. */
  readonly state: string;
  /** The event. Missing: its content was removed. */
  readonly event?: { readonly id: string; readonly type?: string | undefined } | undefined;
  /** How many attempts failed. */
  readonly failures?: number | undefined;
  /** When its next attempt is due, an ISO 8601 date-time. */
  readonly dueAt?: string | undefined;
}

/** What the console shows beside the service: parts of your own program. */
export interface Observed {
  /** A publisher of `social-publishing/publisher`. */
  readonly publisher?:
    | {
        /** Yields its intents. */
        list(): AsyncIterable<ObservedIntent>;
      }
    | undefined;
  /** An inbox of `social-publishing/webhooks`. */
  readonly inbox?:
    | {
        /** Yields its events. */
        list(): AsyncIterable<ObservedEvent>;
      }
    | undefined;
}

const hasList = (value: unknown) => typeof (value as { list?: unknown } | null | undefined)?.list === 'function';

export const observedCheck = optionsOf<Observed>("a field of serveEmulator's observe", {
  publisher: optional('a publisher of createPublisher', hasList),
  inbox: optional('an inbox of createWebhookInbox', hasList),
});
