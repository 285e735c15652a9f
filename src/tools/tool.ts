import type { Publisher } from '../publisher/publisher.js';
import type { Fields } from '../core/json.js';
import type { StandardSchema } from '../core/standard-schema.js';
import type { Posts } from '../posts/posts.js';
import type { Analytics } from '../resources/analytics.js';
import type { Automations } from '../resources/automations.js';
import type { Comments } from '../resources/comments.js';
import type { Integrations } from '../resources/integrations.js';
import type { Messages } from '../resources/messages.js';
import type { DurableStore } from '../stores/store.js';

/** The maximum number of items in a list of a result. */
export const mostItems = 20;

/** The result of a tool call. */
export type ToolStatus =
  /** The call succeeded. A read has its answer in `data`. */
  | 'ok'
  /** The call may have been executed. It is not repeated automatically, because an operator must decide. */
  | 'held'
  /** The user must approve the call first. Nothing was sent. */
  | 'needs_approval'
  /** The user, the service or a limit refused the call. */
  | 'rejected'
  /** The input is invalid. Nothing was sent. */
  | 'invalid'
  /** The call failed. `next` says whether and how to repeat it. */
  | 'failed';

/** The result of a tool. It never contains an access key, a webhook secret or a selection token. */
export interface ToolResult {
  /** How the call ended. */
  readonly status: ToolStatus;
  /** One sentence for the user. It never contains text from other people. */
  readonly summary: string;
  /**
   * JSON: at most 20 items in its list, and at most 16,384 bytes. A longer list has a `cursor`: pass it to the same
   * tool for the next items. Text from other people is only in fields named `untrustedText`.
   */
  readonly data?: Readonly<Record<string, unknown>> | undefined;
  /** The next step, in one sentence. Missing: nothing. */
  readonly next?: string | undefined;
}

/** Hints about a tool, as the Model Context Protocol defines them. */
export interface ToolAnnotations {
  /** Whether it changes nothing. */
  readonly readOnlyHint: boolean;
  /** Whether it can undo or overwrite something. Only meaningful for a tool that changes something. */
  readonly destructiveHint: boolean;
  /** Whether the same call again has no further effect. */
  readonly idempotentHint: boolean;
  /** Whether it reaches people outside the project: followers, commenters, recipients. */
  readonly openWorldHint: boolean;
}

/** A question to the user: may this call be executed? */
export interface ApprovalRequest {
  /** The name of the tool. */
  readonly tool: string;
  /** The title of the tool, for a dialog. */
  readonly title: string;
  /** The input of the call. */
  readonly input: Readonly<Record<string, unknown>>;
  /**
   * The effect of the call: every target with platform, user name and account ID, and the start of the text that it sends.
   * A second sentence follows if the time is in the past.
   */
  readonly summary: string;
}

/** Asks the user. Only `true` approves the call. */
export type Approve = (request: ApprovalRequest) => boolean | Promise<boolean>;

/** The progress of a call that waits. */
export interface ToolProgress {
  /** The seconds since the start of the wait. */
  readonly seconds: number;
  /** The seconds that the call waits at most. */
  readonly ofSeconds: number;
  /** The current state, in one sentence for the user. */
  readonly summary: string;
}

/** Options of one tool call. */
export interface ToolCallOptions {
  /**
   * Aborts the call: `execute` rejects with the signal's reason. A write that was already sent continues, and its
   * result is recorded.
   */
  readonly signal?: AbortSignal | undefined;
  /** Called instead of the `approve` of `createTools`. */
  readonly approve?: Approve | undefined;
  /** Called at each poll of `wait_for_post`, while the post is not final. Errors that it throws are ignored. */
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
}

/** A JSON Schema of an object. */
export type ToolJsonSchema = Readonly<Record<string, unknown>> & {
  /** Every input is an object. */
  readonly type: 'object';
};

/** The input of a tool as a Standard Schema that can also be written as a JSON Schema. */
export interface ToolInputSchema {
  /** The properties that the convention requires of a schema. */
  readonly '~standard': {
    /** The version of the convention. */
    readonly version: 1;
    /** The author of the schema. */
    readonly vendor: string;
    /** Checks an input. `null`, and an empty text of an optional field, count as an omitted field. */
    readonly validate: (value: unknown) => ToolInputCheck;
    /** Writes the schema as JSON Schema. */
    readonly jsonSchema: {
      /** The schema of an input. */
      readonly input: (options?: unknown) => Record<string, unknown>;
      /** The same schema: the check only removes empty fields. */
      readonly output: (options?: unknown) => Record<string, unknown>;
    };
    /** The types, only for the compiler. */
    readonly types?:
      | {
          /** The input type. */
          readonly input: Record<string, unknown>;
          /** The output type. */
          readonly output: Record<string, unknown>;
        }
      | undefined;
  };
}

/** The result of a check of an input. */
export type ToolInputCheck =
  | {
      /** The checked input. */
      readonly value: Record<string, unknown>;
      /** Always missing. */
      readonly issues?: undefined;
    }
  | {
      /** The issues of the value. */
      readonly issues: readonly {
        /** The problem, with the name of the field. */
        readonly message: string;
        /** The path of the field. */
        readonly path: readonly (string | number)[];
      }[];
    };

/** A tool for an agent: a function with a name, a description and a schema. */
export interface Tool {
  /** The name, in snake_case. */
  readonly name: string;
  /** The name that users see. */
  readonly title: string;
  /** The effect, for the model. */
  readonly description: string;
  /** The schema of its input. */
  readonly inputSchema: ToolInputSchema;
  /** The same as JSON Schema (draft 2020-12). */
  readonly jsonSchema: ToolJsonSchema;
  /** The whole result of the tool as JSON Schema (draft 2020-12). */
  readonly outputSchema: ToolJsonSchema;
  /** The allowed changes. */
  readonly annotations: ToolAnnotations;
  /**
   * Returns whether a call with this input would ask for approval now. A read never does. For a write, it changes and
   * stores nothing, but may read accounts and the publisher's store. For frameworks that ask the user themselves.
   */
  needsApproval(input: unknown): Promise<boolean>;
  /**
   * Checks the input and executes the call. It resolves even if the call fails: check `status`.
   * @throws the signal's reason after an abort, and nothing else
   */
  execute(input: unknown, options?: ToolCallOptions): Promise<ToolResult>;
}

/** What a call can do. */
export const annotationsOf = {
  /** Reads the project's own things. */
  reads: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  /** Reads what people outside of the project wrote or did. */
  readsWorld: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  /** Reads, and costs a credit each time. */
  paidRead: { readOnlyHint: true, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  /** Adds something that people outside of the project can see. Its key makes it idempotent. */
  addsOnce: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: true },
  /** Replaces something that people outside of the project will see. The same call again changes nothing more. */
  replaces: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  /** Records a final decision. */
  decides: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false },
} satisfies Readonly<Record<string, ToolAnnotations>>;

/** The part of a client that the tools use. A `SocialPublishing` has it. */
export interface ToolsClient {
  /** Posts. */
  readonly posts: Pick<Posts, 'list' | 'waitUntilFinal' | 'updateScheduled'>;
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
export type ToolsPublisher = Pick<
  Publisher,
  'publish' | 'resume' | 'resolve' | 'retryFailed' | 'cancel' | 'edit' | 'get' | 'list'
>;

/**
 * The strongest write that needs no approval. `draft`: a post that is not published. `schedule`: a post that is
 * published 5 minutes from now or later. `publish`: any post.
 */
export type ToolMode = 'draft' | 'schedule' | 'publish';

/** The context of every tool. */
export interface ToolContext {
  readonly client: ToolsClient;
  /** `undefined`: no tool creates a post, and no post has a key. */
  readonly publisher: ToolsPublisher | undefined;
  readonly mode: ToolMode;
  readonly timeZone: string;
  readonly now: () => number;
  /** Keeps approvals, marks of calls, and claims of retries. */
  readonly store: DurableStore;
  /** The accounts that the tools see and use. `undefined`: all. */
  readonly accounts: ReadonlySet<string> | undefined;
  /** The last posts that results have shown, by ID. A list that is read later may lack a post. */
  readonly shown: Map<string, Fields>;
  /** The field `extra`. `undefined`: the tools have no such field. */
  readonly extras: PostExtras | undefined;
  readonly approve: Approve | undefined;
  /** The access keys that no result shows. They can change at any time. */
  readonly accessKeys: () => readonly string[];
}

/** A Standard Schema that can also be written as a JSON Schema: a schema of zod 4, ArkType or Valibot, for example. */
export interface PostExtrasSchema {
  /** The properties that the convention requires of a schema. */
  readonly '~standard': StandardSchema['~standard'] & {
    /** Writes the schema as JSON Schema. */
    readonly jsonSchema: {
      /** The schema of an input. */
      readonly input: (options: {
        /** The version of JSON Schema: `draft-2020-12`. */
        readonly target: 'draft-2020-12';
      }) => Record<string, unknown>;
    };
  };
}

export interface PostExtras {
  /** The schema of the field `extra`. */
  readonly jsonSchema: Fields;
  /** @throws InvalidRequestError the value is invalid */
  readonly check: (value: unknown) => Promise<Fields | undefined>;
}

export interface PublisherContext extends ToolContext {
  readonly publisher: ToolsPublisher;
}

/** The context of one call. A write must not use its signal: it continues after an abort. */
export type CallContext<Context extends ToolContext = ToolContext> = Context &
  Pick<ToolCallOptions, 'signal'> & { readonly onProgress: (progress: ToolProgress) => void };
