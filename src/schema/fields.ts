import * as z from 'zod/mini';
import { timeMessage } from '../model/day.js';
import type { InstantLike } from '../model/instant.js';

/** Builds a schema on first use: importing the package must not cost what a caller may never call. */
/* @__NO_SIDE_EFFECTS__ */
export function once<T>(build: () => T): () => T {
  let built: { value: T } | undefined;
  return () => (built ??= { value: build() }).value;
}

/**
 * A date-time: an ISO 8601 string with its offset, such as `2026-03-01T09:00:00Z`, a `Date`, or an instant, such as
 * `Temporal.Instant` and `Temporal.ZonedDateTime`. In which time zone the service reads a string without an offset is not
 * documented: it is refused, unless the call sends `extraBody.timezone`.
 */
export type DateTimeInput = string | Date | InstantLike;

/** A date: a `YYYY-MM-DD` string, or a `Date` or an instant, of which the UTC day is taken. */
export type DateInput = string | Date | InstantLike;

/** A request's date-time, after `toWire` has turned a `Date` into its string. */
export const dateTime = () =>
  z.iso.datetime({
    offset: true,
    local: true,
    error: ({ input }) =>
      timeMessage("must be an ISO 8601 date-time string such as '2026-03-01T09:00:00Z', or a Date", input),
  });

/** A request's date, after `toWire` has turned a `Date` into its string. */
export const date = () => z.iso.date({ error: ({ input }) => dateMessage(input) });

export const dateMessage = (value: unknown) => timeMessage("must be a calendar day as 'YYYY-MM-DD', or a Date", value);

/** A closed enumeration of a request. */
export const oneOf = <const Value extends string>(values: readonly Value[]) => z.enum(values);

/**
 * An open enumeration of a reply: any string is taken, and the known values complete in an editor. The known values stay
 * with the schema as examples, for documents made from it.
 */
export function open<const Known extends string>(known: readonly Known[]): z.ZodMiniType<Known | (string & {})> {
  return z.string().register(z.globalRegistry, { examples: [...known] });
}

/**
 * An object of a reply. Unknown fields are kept at run time; they are left out of the type, since with them every
 * misspelt field would type-check.
 */
export function reply<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodMiniObject<z.core.util.Writeable<Shape>> {
  return z.looseObject(shape);
}

/** A field of a reply that may be missing. The check of replies takes a `null` there for missing. */
export const optional = z.optional;

/** An ID of a request: an empty one would call another operation, or cost a credit for nothing. */
export const id = () => z.string().check(z.minLength(1));
export const optionalString = () => z.optional(z.string());
export const optionalNumber = () => z.optional(z.number());
export const optionalInteger = () => z.optional(z.number());
export const optionalBoolean = () => z.optional(z.boolean());
export const optionalStrings = () => z.optional(z.array(z.string()));
/** A free-form object. */
export const optionalFreeForm = () => z.optional(z.record(z.string(), z.unknown()));
/** A reply's date-time stays the string that came. */
export const optionalReplyDateTime = () => z.optional(z.string());

/** Page size (Limits): 1 to 100. */
export const optionalLimit = () => z.optional(z.int().check(z.minimum(1), z.maximum(100)));
/** `offset` and `skip` (Limits): 0 or more. */
export const optionalFromZero = () => z.optional(z.int().check(z.minimum(0)));

/** The fields around every reply. */
export const envelope = () => ({ success: optionalBoolean() });

/** A rule over several fields, checked also where single fields are wrong, so that every issue is listed at once. */
export function rule<T>(
  check: (value: T, fail: (path: readonly (string | number)[], message: string) => void) => void,
): z.core.$ZodCheck<T> {
  const refinement = z.superRefine<T>((value, context) => {
    check(value, (path, message) => {
      context.addIssue({ code: 'custom', path: [...path], message });
    });
  });
  // By default zod skips such a rule as soon as one field is wrong.
  refinement._zod.def.when = (payload) => typeof payload.value === 'object' && payload.value !== null;
  return refinement;
}
