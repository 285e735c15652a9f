import { isObjectWith, optional, optionsOf } from '../../../core/call/options.js';

/** The shown fields of an intent. An `Intent` of `social-publishing/publisher` has them. */
export interface ObservedIntent {
  /** The caller's key. */
  readonly key: string;
  /** The state. */
  readonly state: string;
  /** The body. */
  readonly body: object;
  /** Fields in addition to the body. Missing: none. */
  readonly extraBody?: object | undefined;
  /** When it is sent, an ISO 8601 date-time. Missing: it does not wait. */
  readonly sendAt?: string | undefined;
  /** The ID of its post. Missing: unknown. */
  readonly postId?: string | undefined;
  /** Why it failed. Missing: it did not fail. */
  readonly error?:
    | {
        /** The message of the error. */
        readonly message: string;
      }
    | undefined;
  /** The last search for its post. Missing: the intent is not in doubt, or no search has ended. */
  readonly lookup?:
    | {
        /** The result: `no_match`, `candidates` or `failed`. */
        readonly result: string;
        /** The IDs of the candidates. */
        readonly postIds?: readonly string[] | undefined;
      }
    | undefined;
  /** The number of sends that began. */
  readonly attempts: number;
  /** When it last changed, an ISO 8601 date-time. */
  readonly updatedAt: string;
}

/** The shown fields of an event of an inbox. An `InboxEntry` of `social-publishing/webhooks` has them. */
export interface ObservedEvent {
  /** The state. */
  readonly state: string;
  /** The event. Missing: its content was removed. */
  readonly event?:
    | {
        /** The ID of the event. */
        readonly id: string;
        /** The type, for example `post.published`. */
        readonly type?: string | undefined;
      }
    | undefined;
  /** The number of failed attempts. */
  readonly failures?: number | undefined;
  /** When its next attempt is due, an ISO 8601 date-time. */
  readonly dueAt?: string | undefined;
}

/** Parts of your program that the console shows in addition to the service. */
export interface Observed {
  /** A publisher of `social-publishing/publisher`. */
  readonly publisher?:
    | {
        /** Yields its intents. */
        list(): AsyncIterable<ObservedIntent>;
        /** Reads an intent. If you omit it, the console cannot edit intents. */
        get?(key: string): Promise<ObservedIntent | undefined>;
        /** Cancels an intent that was not sent. If you omit it, the console cannot cancel intents. */
        cancel?(key: string): Promise<ObservedIntent>;
        /** Replaces the body of an intent that was not sent. If you omit it, the console cannot edit intents. */
        // A publisher accepts the body that it returned.
        edit?(
          key: string,
          body: never,
          options?: {
            /** The other fields of the body. */
            readonly extraBody?: never;
          },
        ): Promise<ObservedIntent>;
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

const hasList = (value: unknown) => isObjectWith(value, ['list']);

export const observedCheck = optionsOf<Observed>("a field of serveEmulator's observe", {
  publisher: optional('a publisher of createPublisher', hasList),
  inbox: optional('an inbox of createWebhookInbox', hasList),
});
