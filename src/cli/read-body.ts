import { UsageError } from './command-errors.js';
import { readFields, type FieldOption } from './fields.js';
import { readJsonObject, type JsonObject } from './read-input.js';
import { textOf, type Session, type Values } from './session.js';

/** The fields of a request: from `--body`, with the options merged over them. */
export interface RequestFields {
  readonly fields: JsonObject;
  readonly extraBody: JsonObject | undefined;
}

/** Reads the fields of a request from the options and the files that they name. */
export async function readBody(
  { world }: Session,
  values: Values,
  fields: readonly FieldOption[],
): Promise<RequestFields> {
  const bodyFile = textOf(values, 'body');
  const extraFile = textOf(values, 'extraBody');
  if (bodyFile === '-' && extraFile === '-') throw new UsageError('Only one of --body and --extra-body can be -.');
  const body = bodyFile === undefined ? {} : await readJsonObject(world, bodyFile, '--body');
  const extraBody = extraFile === undefined ? undefined : await readJsonObject(world, extraFile, '--extra-body');
  return { fields: { ...body, ...readFields(fields, values) }, extraBody };
}
