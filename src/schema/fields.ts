import * as z from 'zod/mini';
import { type InstantLike, timeMessage } from '../model/instant.js';

/** Builds a schema on first use, so an import does not pay for unused schemas. */
/* @__NO_SIDE_EFFECTS__ */
export function once<T>(build: () => T): () => T {
  let built: { value: T } | undefined;
  return () => (built ??= { value: build() }).value;
}

/**
 * A date-time: an ISO 8601 string with its offset, such as `2026-03-01T09:00:00Z`, a `Date`, or an instant, such as
 * `Temporal.Instant` and `Temporal.ZonedDateTime`. A string without an offset is refused, unless the call sends
 * `extraBody.timezone`: its time zone is not documented.
 */
export type DateTimeInput = string | Date | InstantLike;

/** A date: a `YYYY-MM-DD` string, or the UTC day of a `Date` or an instant. */
export type DateInput = string | Date | InstantLike;

/** A request's date-time, after `toWire` converted a `Date`. */
export const dateTime = () =>
  z.iso.datetime({
    offset: true,
    local: true,
    error: ({ input }) =>
      timeMessage(
        "must be an ISO 8601 date-time string with seconds, such as '2026-03-01T09:00:00Z', or a Date",
        input,
      ),
  });

/** A request's date, after `toWire` converted a `Date`. */
export const date = () => z.iso.date({ error: ({ input }) => dateMessage(input) });

export const dateMessage = (value: unknown) => timeMessage("must be a calendar day as 'YYYY-MM-DD', or a Date", value);

/** A closed enumeration of a request. */
export const oneOf = <const Value extends string>(values: readonly Value[]) => z.enum(values);

/**
 * An open enumeration of a reply: any string is valid, and editors complete the known values. The schema keeps the
 * known values as examples for generated documents.
 */
export function open<const Known extends string>(known: readonly Known[]): z.ZodMiniType<Known | (string & {})> {
  return z.string().register(z.globalRegistry, { examples: [...known] });
}

/**
 * An object of a reply. Unknown fields are kept at run time. The type omits them; otherwise every misspelt field would
 * type-check.
 */
export function reply<const Shape extends z.core.$ZodLooseShape>(
  shape: Shape,
): z.ZodMiniObject<z.core.util.Writeable<Shape>> {
  return z.looseObject(shape);
}

/** An optional field of a reply. The check of replies treats a `null` as missing. */
export const optional = z.optional;

/**
 * Limits a check of a length to texts and arrays. zod would also check any object with a field `length`, and throw if
 * this field is not a number.
 */
export function sized<Check extends z.core.$ZodCheck<{ readonly length: number }>>(check: Check): Check {
  check._zod.def.when = ({ value }) => typeof value === 'string' || Array.isArray(value);
  return check;
}

/** A text that is not empty. */
export const text = () => z.string().check(sized(z.minLength(1)));

/** An ID. An empty ID of a request would call another operation, or waste a credit. */
export const id = () => text();
/** An ID, or null, which the API document defines. */
export const idOrNull = () =>
  z.nullable(
    z
      .string({ error: ({ input }) => (typeof input === 'string' ? undefined : 'must be a string, or null') })
      .check(sized(z.minLength(1))),
  );
export const optionalString = () => z.optional(z.string());
export const optionalNumber = () => z.optional(z.number());
/** Replies can have any number. Generated documents show the integer of the API document. */
export const optionalInteger = () => z.optional(z.number().register(z.globalRegistry, { type: 'integer' }));
export const optionalBoolean = () => z.optional(z.boolean());
export const optionalStrings = () => z.optional(z.array(z.string()));
export const optionalFreeForm = () => z.optional(z.looseObject({}));
/** A reply's date-time, kept as the received string. */
export const optionalReplyDateTime = () => optionalFormat('date-time');
export const optionalReplyDate = () => optionalFormat('date');
export const optionalUri = () => optionalFormat('uri');
/** The check of replies ignores the format. Generated documents show it. */
const optionalFormat = (format: string) => z.optional(formatted(format));
export const formatted = (format: string) => z.string().register(z.globalRegistry, { format });

/** The most items in a page (Limits): the fewest requests. */
export const longestPage = 100;
export const optionalLimit = () => z.optional(z.int().check(z.minimum(1), z.maximum(longestPage)));
/** `offset` and `skip` (Limits): 0 or more. */
export const optionalFromZero = () => z.optional(z.int().check(z.minimum(0)));

/** The whole reply of an operation: its fields, and whether it succeeded. */
export function envelope<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return reply({ success: optionalBoolean(), ...shape });
}

/** A rule over several fields. It also runs if single fields are invalid, so that all issues are listed at once. */
export function rule<T>(
  check: (value: T, fail: (path: readonly (string | number)[], message: string) => void) => void,
): z.core.$ZodCheck<T> {
  const refinement = z.check<T>(({ value, issues }) => {
    check(value, (path, message) => {
      issues.push({ code: 'custom', path: [...path], message, input: value, continue: true });
    });
  });
  // By default, zod skips such a rule if one field is invalid.
  refinement._zod.def.when = (payload) => typeof payload.value === 'object' && payload.value !== null;
  return refinement;
}
