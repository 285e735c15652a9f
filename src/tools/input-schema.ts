import * as z from 'zod/mini';
import { describeIssues, nearestFieldHint } from '../schema/issues.js';
import { safeParse } from '../schema/check.js';
import type { ToolInputCheck, ToolInputSchema, ToolJsonSchema } from './tool.js';

/** One field of an input: its schema, and its description with unit and format. */
export interface InputField<Schema extends z.ZodMiniType = z.ZodMiniType> {
  readonly schema: Schema;
  readonly description: string;
}

export type InputFields = Readonly<Record<string, InputField>>;

/** The checked input of these fields. */
export type InputOf<Fields extends InputFields> = z.output<
  z.ZodMiniObject<{ [Name in keyof Fields]: Fields[Name]['schema'] }>
>;

export interface InputForms {
  readonly inputSchema: ToolInputSchema;
  readonly jsonSchema: ToolJsonSchema;
}

/** Creates the schemas of an input. Unknown fields are refused. */
export function inputForms(fields: InputFields): InputForms {
  const shape = Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema]));
  const schema = z.strictObject(shape);
  const jsonSchema = describedJsonSchema(schema, fields);
  const validate = (value: unknown): ToolInputCheck => {
    const parsed = safeParse(schema, value);
    if (parsed.success) return { value: parsed.data };
    return { issues: describeIssues(parsed.error.issues, nearestFieldHint(schema), 'the input') };
  };
  const written = () => structuredClone(jsonSchema); // A reader may change its copy.
  const standard = {
    version: 1,
    vendor: 'social-publishing',
    validate,
    jsonSchema: { input: written, output: written },
  };
  return { inputSchema: { '~standard': { ...standard, version: 1 } }, jsonSchema };
}

function describedJsonSchema(schema: z.ZodMiniType, fields: InputFields): ToolJsonSchema {
  const written = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input' });
  const properties = Object.entries(written.properties ?? {}).map(
    ([name, property]) =>
      // A property that accepts anything is `true`.
      [name, { description: fields[name]?.description, ...(typeof property === 'object' && property) }] as const,
  );
  return { ...written, type: 'object', properties: Object.fromEntries(properties) };
}
