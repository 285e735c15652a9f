import * as z from 'zod/mini';

/** A value as its schema gives it, or what is wrong with it. */
export type Parsed<Output> =
  | { readonly success: true; readonly data: Output }
  | { readonly success: false; readonly error: { readonly issues: readonly z.core.$ZodIssue[] } };

/**
 * zod's own `safeParse`, but for a value that is wrong in so many places that zod can't gather its issues: it spreads them
 * over the arguments of a call, which overflows the stack from about 100,000 on.
 */
export function safeParse<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Parsed<z.core.output<Schema>> {
  try {
    return z.safeParse(schema, value);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'is wrong in more places than can be listed';
    return { success: false, error: { issues: [{ code: 'custom', path: [], message, input: undefined }] } };
  }
}
