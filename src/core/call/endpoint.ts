import type { Issue } from '../errors.js';
import type * as z from 'zod/mini';

/** After which failures an operation may be retried. A property of the endpoint, not of its HTTP method. */
export type RetryClass =
  /** Reads without cost, and writes that set a value: retried after anything. */
  | 'repeatable'
  /** Costs a credit for a successful call: retried after a failed status, not after silence. */
  | 'paid_per_success'
  /** Costs a credit for each call: retried only if the service did not execute it. */
  | 'paid_per_call'
  /** A write that would take effect twice: retried only if the service did not execute it. */
  | 'once';

/** An HTTP method. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
/** A method and a path template, for example `GET /v1/posts/{postId}`. */
export type Route = `${Method} /${string}`;

/** A query or a body, as it was read. */
export interface ReadBody {
  /** Its wire form. If there are issues, it can have any type. */
  readonly wire: unknown;
  readonly issues: readonly Issue[];
}

export interface PathParameter {
  readonly description: string;
  readonly minLength?: number;
  readonly maxLength?: number;
}

/** The secrets of a request, by name. Secrets of replies are recognised by their field names, in any reply. */
export interface SecretFields {
  /** Path parameters. A segment after the same segment in any other path is secret too. */
  readonly params?: readonly string[];
  readonly body?: readonly string[];
}

type ArrayField<Reply> = unknown extends Reply
  ? string
  : {
      [Name in keyof Reply & string]-?: NonNullable<Reply[Name]> extends readonly unknown[] ? Name : never;
    }[keyof Reply & string];

type ItemField<Reply> = unknown extends Reply
  ? string
  : {
      [Name in keyof Reply]-?: NonNullable<Reply[Name]> extends readonly (infer Item)[] ? keyof Item & string : never;
    }[keyof Reply];

type FieldName<Reply> = unknown extends Reply ? string : keyof Reply & string;

/** The fields of a list's reply that pagination reads, and the rule by which it continues. */
export type ListDefinition<Reply = unknown> = {
  /** The field of the reply that holds the items. */
  readonly items: ArrayField<Reply>;
  /** The field of an item that holds its ID. */
  readonly itemId: ItemField<Reply>;
  /** The reply's shape is not documented: the reader of replies searches for the items. */
  readonly undocumentedShape?: true;
} & (
  | {
      /** The query's `after` takes the reply's cursor. */
      readonly style: 'cursor';
      readonly next: FieldName<Reply>;
    }
  | {
      /** The query's `offset` counts items. */
      readonly style: 'offset';
      /** The field of the reply that contains the number of all items. */
      readonly total: FieldName<Reply>;
    }
  | {
      /** The query's `skip` counts items. */
      readonly style: 'skip';
      /** The field of the reply that holds `total`, `limit` and `hasMore`. */
      readonly pagination: FieldName<Reply>;
    }
  | {
      /** The query's `page` counts pages from 1. */
      readonly style: 'page';
    }
);

export type ObjectSchema<Value = unknown> = z.ZodMiniType<Value> & {
  readonly shape: Readonly<Record<string, z.core.$ZodType>>;
};

/**
 * One operation of the service, defined once: the client calls through it, the emulator serves it, and the documents are
 * made from it. Schemas are functions, built on first use.
 */
export interface Endpoint<Query = unknown, Body = unknown, Reply = unknown> {
  /** Method and path template with its exact trailing slash. */
  readonly route: Route;
  /** The effect of the operation, in one sentence. */
  readonly summary: string;
  readonly params?: Readonly<Record<string, PathParameter>>;
  readonly query?: () => ObjectSchema<Query>;
  readonly body?: () => ObjectSchema<Body>;
  readonly response: () => z.ZodMiniType<Reply>;
  readonly retry: RetryClass;
  /** The cost of a call; its retry class says which calls are charged. */
  readonly credits?: 1;
  /**
   * It saves the accounts that a user selected, with a one-time token. Whether the access key is required is not
   * documented; it is sent.
   */
  readonly selection?: true;
  /**
   * Reads a body that has rules which no single field shows. `extraBody` is merged over it, unchecked, and may contain the
   * missing part. `options` are the names of the call's options, for a hint. Default: the schema reads the body.
   */
  readonly readBody?: (body: unknown, extraBody: unknown, options: ReadonlySet<string>) => ReadBody;
  /** Whether a call with this request, its body merged with `extraBody`, may take minutes: the service waits for platforms. */
  readonly isSlow?: (request: Readonly<Record<string, unknown>>) => boolean;
  /** Values that no error, hook or log may show. */
  readonly secrets?: SecretFields;
  /** Whether a reply with `success: false` shows that the operation was executed, at least in part. */
  readonly carriedOut?: (reply: Readonly<Record<string, unknown>>) => boolean;
  /** The field without which a reply must have `success: true`, because all its fields are optional. */
  readonly confirmedBy?: string;
  /** Its error replies have the error form (Errors, 1). Missing: the message form, as most operations. */
  readonly errorForm?: 'error';
  /** Documented defaults of query fields. The client doesn't send them: the service applies them. */
  readonly defaults?: Readonly<Record<string, string | number>>;
  /** For a list: how it is walked and where its reply keeps the items. */
  readonly list?: ListDefinition;
  /** For two operations with the same route: the query field that distinguishes them, and whether it is present. */
  readonly selectedBy?: { readonly query: string; readonly present: boolean };
  readonly deprecated?: true;
}

/** Defines an endpoint. Returns the value unchanged, so that the compiler checks and infers its type. */
/* @__NO_SIDE_EFFECTS__ */
export function endpoint<Query = undefined, Body = undefined, Reply = unknown>(
  value: Endpoint<Query, Body, Reply>,
): Endpoint<Query, Body, Reply> {
  return value;
}

export interface ListEndpoint<Query = unknown, Reply = unknown> extends Endpoint<Query, undefined, Reply> {
  readonly list: ListDefinition;
}

/** Defines the endpoint of a list. The compiler checks that the reply has the fields that `list` names. */
/* @__NO_SIDE_EFFECTS__ */
export function listEndpoint<Query, Reply>(
  value: ListEndpoint<Query, Reply> & { readonly list: ListDefinition<Reply> },
): ListEndpoint<Query, Reply> {
  return value;
}

export function endpointAt({ route }: { readonly route: string }): { readonly method: string; readonly route: string } {
  const [method = '', path = ''] = route.split(' ');
  return { method, route: path };
}
