import type { Issue } from '../core/errors.js';

const modes = ['saveAsDraft', 'publishNow', 'scheduledFor'] as const;

/**
 * What is missing in a create's mode, or too much: a body that a form filled has a type that can't tell. A mode that stands in
 * `extraBody` is the caller's affair.
 */
export function modeIssues(body: unknown, extraBody: unknown): Issue[] {
  const fields = fieldsOf(body);
  // What is no object is told on its own.
  if (fields === undefined || modes.some((mode) => fieldsOf(extraBody)?.[mode] !== undefined)) return [];
  const [given, ...others] = modes.filter((mode) => fields[mode] !== undefined && fields[mode] !== false);
  if (given === undefined) {
    const message =
      'is required, or publishNow: true, or saveAsDraft: true: a post is scheduled, published now, or a draft';
    return [{ path: ['scheduledFor'], message }];
  }
  return others.map((other) => ({
    path: [other],
    message: `must not stand beside ${given}: a post is scheduled, published now, or a draft. Leave one of them out`,
  }));
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
}
