import type { RequestOptions } from '../core/transport.js';
import type { DateTimeInput } from '../schema/fields.js';
import type { CreatePostBody } from './post-shapes.js';

/**
 * Fields of a create that the API document mentions without showing, as you know them from elsewhere: empty until you
 * declare some, which types `extraBody` of `posts.create` and its relatives. Nothing checks them at run time.
 *
 * ```ts
 * declare module 'social-publishing' {
 *   interface CreatePostExtras {
 *     mediaItems?: { type: 'image'; url: string }[];
 *     timezone?: string;
 *   }
 * }
 * ```
 *
 * API document: Posts, "Request fields beyond these five".
 */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- callers fill it
export interface CreatePostExtras {}

/** `extraBody` of a create: the declared {@link CreatePostExtras}, and any other field. */
export type CreatePostExtraBody = Readonly<CreatePostExtras & Record<string, unknown>>;

/** Options of a create. */
export interface CreatePostOptions extends Omit<RequestOptions, 'extraBody'> {
  /** Body fields that the API document mentions without showing, such as media. Merged over the typed body, unchecked. */
  readonly extraBody?: CreatePostExtraBody | undefined;
}

/**
 * The fields of a create as a variable or a form holds them: `publishNow: boolean`, `scheduledFor?: Date`, a platform as
 * an account told it. What the compiler can't know of them is checked when `posts.create` is called.
 */
export interface CreatePostFields {
  /** The text. Its greatest length is not documented. */
  readonly content?: string | undefined;
  /** Where the post goes: `platform` and `accountId` of each target. */
  readonly platforms?:
    | readonly {
        /** The platform of the integration. */
        readonly platform?: string | undefined;
        /** The integration's ID, from `integrations.list`. */
        readonly accountId: string;
      }[]
    | undefined;
  /** `true` saves the post as a draft. */
  readonly saveAsDraft?: boolean | undefined;
  /** `true` publishes the post immediately. */
  readonly publishNow?: boolean | undefined;
  /** When to publish: an ISO 8601 date-time string, best with its offset, or a `Date`. */
  readonly scheduledFor?: DateTimeInput | undefined;
}

/**
 * `unknown` for fields that can be a create's body, and the body itself for those that can't, so that the compiler says
 * what is wrong. Only what is not known of a field is overlooked: what a literal tells wrong stays an error.
 */
export type CheckedFields<Fields> =
  Exclude<keyof Fields, keyof CreatePostFields> extends never
    ? OddTargetField<Fields> extends never
      ? { [Name in keyof Fields]-?: Settled<Name, Fields[Name]> } extends CreatePostBody
        ? unknown
        : CreatePostBody
      : {
          /** A target has `platform` and `accountId` alone. */
          readonly platforms: readonly { readonly [Misspelt in OddTargetField<Fields>]: never }[];
        }
    : { readonly [Misspelt in Exclude<keyof Fields, keyof CreatePostFields>]: never };

/** The fields of targets that no target has. */
type OddTargetField<Fields> = Fields extends {
  /** The targets. */
  readonly platforms: readonly (infer Target)[];
}
  ? Exclude<keyof Target, 'platform' | 'accountId'>
  : never;

/** A field with what is not known of it left open. */
type Settled<Name, Value> = Name extends 'saveAsDraft' | 'publishNow'
  ? SettledMode<Value>
  : Name extends 'scheduledFor'
    ? SettledTime<Value>
    : Name extends 'platforms'
      ? SettledTargets<Value>
      : Value;

type SettledMode<Value> = [Value] extends [true] ? Value : [Value] extends [false | undefined] ? Value : Open;

type SettledTime<Value> = [Value] extends [undefined] ? Value : undefined extends Value ? Open : Value;

type SettledTargets<Targets> = Targets extends readonly (infer Target)[]
  ? readonly { [Name in keyof Target]-?: Name extends 'platform' ? SettledPlatform<Target[Name]> : Target[Name] }[]
  : Targets;

/** An account's platform is one of the known ones, or any other text, or was not told. */
type SettledPlatform<Platform> = string extends Platform ? Open : undefined extends Platform ? Open : Platform;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- it fits each mode of a body; the check at run time tells which it is
type Open = any;
