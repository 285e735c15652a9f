import type { Issue } from './errors.js';

/** Any schema that follows the Standard Schema convention, for example of zod, valibot or arktype. */
export interface StandardSchema<Output = unknown> {
  /** The properties that the convention requires of a schema. */
  readonly '~standard': {
    /** The version of the convention. */
    readonly version: 1;
    /** The library that the schema is of. */
    readonly vendor: string;
    /** Checks a value. */
    readonly validate: (value: unknown) => StandardResult<Output> | Promise<StandardResult<Output>>;
    /** The types, only for the compiler. */
    readonly types?:
      | {
          /** The input type. */
          readonly input: unknown;
          /** The type of the result. */
          readonly output: Output;
        }
      | undefined;
  };
}

/** The result of a Standard Schema. */
export type StandardResult<Output> =
  | {
      /** The checked value. */
      readonly value: Output;
      /** Always missing. */
      readonly issues?: undefined;
    }
  | {
      /** The issues of the value. */
      readonly issues: readonly StandardIssue[];
    };

/** An issue of a Standard Schema. */
export interface StandardIssue {
  /** The description of the issue. */
  readonly message: string;
  /** The path of the issue. */
  readonly path?: readonly (PropertyKey | StandardPathSegment)[] | undefined;
}

/** A part of an issue's path. */
export interface StandardPathSegment {
  /** The field's name, or an index. */
  readonly key: PropertyKey;
}

/** Whether a value has what the convention requires. The schemas of some libraries are functions. */
export function isStandardSchema(value: unknown): value is StandardSchema {
  // Any value can have the field.
  const standard = (value as { '~standard'?: { validate?: unknown } | null } | null | undefined)?.['~standard'];
  return typeof standard?.validate === 'function';
}

/** Returns the issues in the form of this package. Their messages may not name their field. */
export function standardIssues(issues: readonly StandardIssue[]): Issue[] {
  return issues.map(({ message, path = [] }) => ({
    path: path.map((part) => {
      const key = typeof part === 'object' ? part.key : part;
      return typeof key === 'symbol' ? String(key) : key;
    }),
    message,
  }));
}
