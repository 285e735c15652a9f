import type { RequestOptions } from '../core/call/transport.js';
import type { KnownPlatform, Platform } from '../model/known-values.js';
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
    : CheckedBody<WithKnownNames<Whole>>
  : Fields; // Never so: it is here because the compiler infers `Fields` from it.

/** Omits `any`, and bodies with fields of any name: the compiler knows no mistake of them. */
type WithKnownNames<Fields> = Fields extends unknown ? (string extends keyof Fields ? never : Fields) : never;

type CheckedBody<Fields> = [UnknownField<Fields>] extends [never]
  ? [UnknownTargetField<Fields>] extends [never]
    ? [Mistake<Fields>] extends [never]
      ? CreatePostFields
      : Mistake<Fields>
    : CreatePostFields & {
        /** A target has only `platform` and `accountId`. */
        readonly platforms: readonly { readonly [Name in UnknownTargetField<Fields>]: NotInTarget<Name> }[];
      }
  : CreatePostFields & { readonly [Name in UnknownField<Fields>]: NotInPost<Name> };

/**
 * The first mistake of a body whose fields are all known, `never` for none. Texts are in the place of `never`: the compiler
 * quotes them.
 */
type Mistake<Fields> = Fields extends unknown
  ? ['publishNow' | 'scheduledFor'] extends [CertainMode<Fields>]
    ? WithField<'scheduledFor', TwoModes<'scheduledFor', 'publishNow'>>
    : ['publishNow' | 'saveAsDraft'] extends [CertainMode<Fields>]
      ? WithField<'publishNow', TwoModes<'publishNow', 'saveAsDraft'>>
      : ['scheduledFor' | 'saveAsDraft'] extends [CertainMode<Fields>]
        ? WithField<'scheduledFor', TwoModes<'scheduledFor', 'saveAsDraft'>>
        : [PossibleMode<Fields>] extends [never]
          ? 'scheduledFor is required, or publishNow: true, or saveAsDraft: true.'
          : TargetsMistake<Targets<Fields>, Exclude<CertainMode<Fields>, 'saveAsDraft'>>
  : never;

/** @param Mode the certain mode, if it needs targets */
type TargetsMistake<List, Mode extends PostMode> = [List] extends [never]
  ? [Mode] extends [never]
    ? never
    : `platforms is required with ${Mode}: pass at least one { platform, accountId }.`
  : [KnownTargets<List>] extends [readonly PostTargetInput[]]
    ? never
    : WithField<'platforms', readonly PostTargetInput[]>;

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
type CertainMode<Fields> = {
  [Name in PostMode & keyof Fields]-?: [Extract<Fields[Name], false | undefined>] extends [never] ? Name : never;
}[PostMode & keyof Fields];

/** The modes that a body may have: `publishNow: boolean` is one. */
type PossibleMode<Fields> = {
  [Name in PostMode & keyof Fields]-?: [Exclude<Fields[Name], false | undefined>] extends [never] ? never : Name;
}[PostMode & keyof Fields];

/** The fields that a post does not have. An instance can have methods, and fields that begin with `_`. */
type UnknownField<Fields> = Fields extends unknown
  ? Exclude<DataField<Fields>, keyof CreatePostFields | `_${string}` | symbol>
  : never;
type DataField<Fields> = {
  [Name in keyof Fields]-?: Fields[Name] extends (...args: never) => unknown ? never : Name;
}[keyof Fields];

/** The targets of a body; `never` for none. */
type Targets<Fields> = 'platforms' extends keyof Fields ? Exclude<Fields['platforms'], undefined> : never;

/** The fields of the targets that a target does not have. An empty list has no targets: `keyof never` would be any name. */
type UnknownTargetField<Fields> = Fields extends {
  /** The targets. */
  readonly platforms: readonly (infer Target)[];
}
  ? [Target] extends [never]
    ? never
    : Exclude<keyof Target, 'platform' | 'accountId'>
  : never;

/** The targets, with a known platform where the compiler cannot know it: an account's platform can be any text, or missing. */
type KnownTargets<List> = List extends readonly (infer Target)[]
  ? readonly { [Name in keyof Target]-?: Name extends 'platform' ? KnownIfOpen<Target[Name]> : Target[Name] }[]
  : List;
type KnownIfOpen<Value> = string extends Value ? KnownPlatform : undefined extends Value ? KnownPlatform : Value;
