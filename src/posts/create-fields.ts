import type { RequestOptions } from '../core/transport.js';
import type { Platform } from '../model/platforms.js';
import type { DateTimeInput } from '../schema/fields.js';
import type { CreatePostBody } from './post-shapes.js';

/**
 * Fields of a create that the API document mentions without showing. The interface is empty until you declare fields: they
 * then type `extraBody` of `posts.create`, `posts.createMany` and the publisher. The client does not check them at run time.
 *
 * @example
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
 * The fields of a create in a variable or a form: `publishNow: boolean`, `scheduledFor?: Date`, a platform of any name.
 * The check before sending reports mistakes that the compiler cannot see.
 */
export interface CreatePostFields {
  /** The text. The API document does not state a maximum length. */
  readonly content?: string | undefined;
  /** The targets: `platform` and `accountId` of each. A draft needs no targets. */
  readonly platforms?:
    | readonly {
        /** The platform of the integration. */
        readonly platform?: Platform | undefined;
        /** The integration's ID, from `integrations.list`. */
        readonly accountId: string;
      }[]
    | undefined;
  /** `true` saves the post as a draft. */
  readonly saveAsDraft?: boolean | undefined;
  /** `true` publishes the post immediately. */
  readonly publishNow?: boolean | undefined;
  /** When to publish: an ISO 8601 date-time string with its offset, or a `Date`. See `SchedulePostBody`. */
  readonly scheduledFor?: DateTimeInput | undefined;
}

/**
 * The type that a body must have. If `Fields` can be the body of a create, it is `Fields`. Otherwise it is a type
 * whose mismatch makes the compiler name the wrong field. The compiler misses only values that it cannot know, such as
 * the mode of a `boolean`.
 */
export type CheckedFields<Fields> =
  IsOpen<Fields> extends true
    ? CreatePostBody
    : [UnknownField<Fields>] extends [never]
      ? [UnknownTargetField<Fields>] extends [never]
        ? [Settled<Fields>] extends [CreatePostBody]
          ? Fields
          : CreatePostBody
        : {
            /** A target has only `platform` and `accountId`. */
            readonly platforms: readonly { readonly [Name in UnknownTargetField<Fields>]: NotInTarget<Name> }[];
          }
      : { readonly [Name in UnknownField<Fields>]: NotInPost<Name> };

// Texts in place of `never`: the compiler quotes them.
type NotInPost<Name> = `'${Name & string}' is not a field of a post. Pass it in extraBody, in the second argument.`;
type NotInTarget<Name> =
  `'${Name & string}' is not a field of a target. Pass the targets in extraBody, in the second argument.`;

/** The fields that a post does not have. */
type UnknownField<Fields> = Fields extends unknown ? Exclude<keyof Fields, keyof CreatePostFields> : never;

/** The fields of the targets that a target does not have. */
type UnknownTargetField<Fields> = Fields extends {
  /** The targets. */
  readonly platforms: readonly (infer Target)[];
}
  ? Exclude<keyof Target, 'platform' | 'accountId'>
  : never;

/** The fields with everything that the compiler cannot know left open. */
type Settled<Fields> = Fields extends unknown
  ? { [Name in keyof Fields]-?: SettledField<Name, Fields[Name]> } & OpenTargets<Fields>
  : never;

type SettledField<Name, Value> = Name extends 'saveAsDraft' | 'publishNow'
  ? SettledMode<Value>
  : Name extends 'scheduledFor'
    ? SettledTime<Value>
    : Name extends 'platforms'
      ? SettledTargets<Value>
      : Value;

type SettledMode<Value> = [Value] extends [true] ? Value : [Value] extends [false | undefined] ? Value : Open;

type SettledTime<Value> = [Value] extends [undefined] ? Value : undefined extends Value ? Open : Value;

type SettledTargets<Targets> = [Targets] extends [undefined] ? Targets : SettledList<Exclude<Targets, undefined>>;

type SettledList<Targets> = Targets extends readonly (infer Target)[]
  ? readonly { [Name in keyof Target]-?: Name extends 'platform' ? SettledPlatform<Target[Name]> : Target[Name] }[]
  : Targets;

/** An account's platform is a known one, any other text, or missing. */
type SettledPlatform<Value> = string extends Value ? Open : undefined extends Value ? Open : Value;

/** A post that may turn out to be a draft can lack targets. */
type OpenTargets<Fields> = 'platforms' extends keyof Fields
  ? unknown
  : HasOpenMode<Fields> extends true
    ? {
        /** Checked before sending. */
        readonly platforms: Open;
      }
    : unknown;

type HasOpenMode<Fields> = true extends {
  [Name in keyof Fields]-?: Name extends 'saveAsDraft' | 'publishNow' | 'scheduledFor'
    ? IsOpen<SettledField<Name, Fields[Name]>>
    : false;
}[keyof Fields]
  ? true
  : false;

/** Whether the compiler knows nothing of a value: `0` extends only the intersection with `any`. */
type IsOpen<Value> = 0 extends 1 & Value ? true : false;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- it fits each mode of a body; the check before sending decides
type Open = any;
