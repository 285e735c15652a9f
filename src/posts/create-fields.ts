import type { RequestOptions } from '../core/call/transport.js';
import type { Platform } from '../model/known-values.js';
import type { DateTimeInput } from '../schema/fields.js';
import type { CreatePostBody, PostTargetInput } from './post-shapes.js';

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
  /**
   * The targets. A post to publish or schedule needs at least one, a draft needs none. The API document does not state a
   * maximum number.
   */
  readonly platforms?:
    | readonly {
        /** The platform of the integration. */
        readonly platform?: Platform | undefined;
        /** The integration's ID, from `integrations.list`. */
        readonly accountId: string;
      }[]
    | undefined;
  /** `true` saves the post as a draft, without publishing it. Not with `publishNow` or `scheduledFor`. */
  readonly saveAsDraft?: boolean | undefined;
  /** `true` publishes the post immediately. Not with `saveAsDraft` or `scheduledFor`. */
  readonly publishNow?: boolean | undefined;
  /**
   * When to publish: an ISO 8601 date-time string with its offset, or a `Date`. Not with `saveAsDraft` or `publishNow`. The
   * client refuses a string without an offset, unless `extraBody` contains `timezone`.
   */
  readonly scheduledFor?: DateTimeInput | undefined;
}

/** Marks {@link AnyPostFields}, which no body of a caller is. */
declare const anyPost: unique symbol;

/** The fields of any create. It has its own name so that {@link CheckedFields} recognises an unknown body. */
export interface AnyPostFields extends CreatePostFields {
  /** Does not exist. */
  readonly [anyPost]?: never;
}

/**
 * The type that a body must have. If `Fields` can be the body of a create, it is {@link CreatePostFields}. Otherwise it
 * is a type whose mismatch makes the compiler name the wrong field and what to do. The compiler misses only values that
 * it cannot know, such as the mode of a `boolean`. Without a body, for example in `Parameters`, it is
 * {@link CreatePostBody}.
 */
export type CheckedFields<Fields, Whole = Fields> = Fields extends unknown
  ? typeof anyPost extends keyof Fields
    ? CreatePostBody
    : CheckedBody<Whole>
  : Fields; // Never so: it is here because the compiler infers `Fields` from it.

type CheckedBody<Fields> =
  IsOpen<Fields> extends true
    ? CreatePostFields
    : [UnknownField<Fields>] extends [never]
      ? [UnknownTargetField<Fields>] extends [never]
        ? [Settled<Fields>] extends [CreatePostBody]
          ? CreatePostFields
          : Mistake<Settled<Fields>>
        : CreatePostFields & {
            /** A target has only `platform` and `accountId`. */
            readonly platforms: readonly { readonly [Name in UnknownTargetField<Fields>]: NotInTarget<Name> }[];
          }
      : CreatePostFields & { readonly [Name in UnknownField<Fields>]: NotInPost<Name> };

/** The first mistake of a body whose fields are all known. Texts are in the place of `never`: the compiler quotes them. */
type Mistake<Fields> = Fields extends CreatePostBody
  ? never
  : ['publishNow' | 'scheduledFor'] extends [ModeOf<Fields>]
    ? WithField<'scheduledFor', TwoModes<'scheduledFor', 'publishNow'>>
    : ['publishNow' | 'saveAsDraft'] extends [ModeOf<Fields>]
      ? WithField<'publishNow', TwoModes<'publishNow', 'saveAsDraft'>>
      : ['scheduledFor' | 'saveAsDraft'] extends [ModeOf<Fields>]
        ? WithField<'scheduledFor', TwoModes<'scheduledFor', 'saveAsDraft'>>
        : [ModeOf<Fields>] extends [never]
          ? 'scheduledFor is required, or publishNow: true, or saveAsDraft: true.'
          : 'platforms' extends keyof Fields
            ? WithField<'platforms', readonly PostTargetInput[]>
            : `platforms is required with ${ModeOf<Fields>}: pass at least one { platform, accountId }.`;

type WithField<Name extends keyof CreatePostFields, Value> = Omit<CreatePostFields, Name> & {
  readonly [Field in Name]: Value;
};

type TwoModes<
  Name extends PostMode,
  Other extends PostMode,
> = `${Name} cannot be combined with ${Other}. Omit one of them: a post has one mode.`;
type NotInPost<Name> =
  `'${Name & string}' is not a field of a post.${DidYouMean<Name, keyof CreatePostFields>} Pass other fields as extraBody.`;
type NotInTarget<Name> =
  `'${Name & string}' is not a field of a target.${DidYouMean<Name, keyof PostTargetInput>} Pass targets with other fields as extraBody.`;

/** Items from an array or an (async) iterable. The compiler reports an error in an array's literal at the wrong field. */
export type ManyOf<Item> = readonly Item[] | Iterable<Item> | AsyncIterable<Item>;

/** Suggests the known names that begin with the same two letters. */
type DidYouMean<Name, Known extends string> = [Similar<Name, Known>] extends [never]
  ? ''
  : ` Did you mean '${Similar<Name, Known>}'?`;
type Similar<Name, Known> = Known extends unknown ? (Start<Known> extends Start<Name> ? Known : never) : never;
type Start<Name> = Name extends `${infer First}${infer Second}${string}` ? Lowercase<`${First}${Second}`> : '';

type PostMode = 'saveAsDraft' | 'publishNow' | 'scheduledFor';

/** The modes that a body certainly has. */
type ModeOf<Fields> = {
  [Name in PostMode & keyof Fields]: IsOpen<Fields[Name]> extends true
    ? never
    : Fields[Name] extends false | undefined
      ? never
      : Name;
}[PostMode & keyof Fields];

/** The fields that a post does not have. An instance can have methods, and fields that begin with `_`. */
type UnknownField<Fields> = Fields extends unknown
  ? string extends keyof Fields
    ? never
    : Exclude<DataField<Fields>, keyof CreatePostFields | `_${string}` | symbol>
  : never;
type DataField<Fields> = {
  [Name in keyof Fields]-?: Fields[Name] extends (...args: never) => unknown ? never : Name;
}[keyof Fields];

/** The fields of the targets that a target does not have. An empty list has no targets: `keyof never` would be any name. */
type UnknownTargetField<Fields> = Fields extends {
  /** The targets. */
  readonly platforms: readonly (infer Target)[];
}
  ? [Target] extends [never]
    ? never
    : Exclude<keyof Target, 'platform' | 'accountId'>
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
  [Name in keyof Fields]-?: Name extends PostMode ? IsOpen<SettledField<Name, Fields[Name]>> : false;
}[keyof Fields]
  ? true
  : false;

/** Whether the compiler knows nothing of a value: `0` extends only the intersection with `any`. */
type IsOpen<Value> = 0 extends 1 & Value ? true : false;

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- it fits each mode of a body; the check before sending decides
type Open = any;
