import * as z from 'zod/mini';

export type Parsed<Output> =
  | { readonly success: true; readonly data: Output }
  | { readonly success: false; readonly error: { readonly issues: readonly z.core.$ZodIssue[] } };

/** The default text of zod/mini, for issues without a custom text. */
export const noText = 'Invalid input';

/** Ignores the locale and the messages that an application sets for its own schemas: all copies of zod share them. */
const ownTexts = { error: () => noText };

/**
 * Runs zod's `safeParse`. A value with more than about 100,000 issues gets one issue: zod spreads its issues over the
 * arguments of a call, which overflows the stack.
 */
export function safeParse<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): Parsed<z.core.output<Schema>> {
  try {
    return z.safeParse(schema, value, ownTexts);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const message = 'has more mistakes than can be listed';
    return { success: false, error: { issues: [{ code: 'custom', path: [], message, input: undefined }] } };
  }
}
