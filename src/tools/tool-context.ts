import type { Publisher } from '../publisher/publisher.js';
import type { Analytics, Automations, Comments, Integrations, Messages, Posts } from '../resources/interfaces.js';
import type { OnceStore } from '../publisher/once.js';

/** The part of a client that the tools use. A `SocialPublishing` has it. */
export interface ToolsClient {
  /** Posts. */
  readonly posts: Pick<Posts, 'list' | 'waitUntilFinal'>;
  /** Connected accounts. */
  readonly integrations: Pick<Integrations, 'list' | 'get' | 'needingAttention'>;
  /** Comments. */
  readonly comments: Pick<Comments, 'list'>;
  /** Direct messages. */
  readonly messages: Pick<Messages, 'listConversations' | 'list' | 'send'>;
  /** Comment automations. */
  readonly automations: Pick<Automations, 'create'>;
  /** Returns a client with a budget, as `SocialPublishing.withBudget` does. */
  withBudget(credits: number): {
    /** Analytics. */
    readonly analytics: Pick<Analytics, 'getPost' | 'getInstagramInsights'>;
  };
}

/** The part of a publisher that the tools use. */
export type ToolsPublisher = Pick<Publisher, 'publish' | 'resume' | 'resolve' | 'retryFailed' | 'get' | 'list'>;

/**
 * The strongest write that needs no approval. `draft`: a post that is not published. `schedule`: a post that is
 * published 5 minutes from now or later. `publish`: any post.
 */
export type ToolMode = 'draft' | 'schedule' | 'publish';

/** The context of every tool. */
export interface ToolContext {
  readonly client: ToolsClient;
  readonly mode: ToolMode;
  readonly timeZone: string;
  readonly now: () => number;
  /** Keeps approvals and claims of retries. */
  readonly store: OnceStore;
}

export interface PublisherContext extends ToolContext {
  readonly publisher: ToolsPublisher;
}
