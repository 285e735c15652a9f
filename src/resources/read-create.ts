import { type Fields, isFields } from '../core/json.js';
import { issueAt } from '../core/options.js';
import type { Issue } from '../core/errors.js';

const modes = ['saveAsDraft', 'publishNow', 'scheduledFor'] as const;

/**
 * Reports a missing mode, a second mode and missing targets of a create. The type of a body from a form cannot show them.
 * The client does not check a mode in `extraBody`.
 */
export function modeIssues(body: unknown, extraBody: unknown): Issue[] {
  const fields = fieldsOf(body);
  const extras = fieldsOf(extraBody);
  // The schema reports a body that is not an object.
  if (fields === undefined) return [];
  return [...repeatedTargetIssues(body), ...issuesOfMode(fields, extras)];
}

function issuesOfMode(fields: Fields, extras: Fields | undefined): Issue[] {
  if (modes.some((mode) => extras?.[mode] !== undefined)) return [];
  const [given, ...others] = modes.filter((mode) => fields[mode] !== undefined && fields[mode] !== false);
  if (given === undefined) {
    const message = 'is required, or publishNow: true, or saveAsDraft: true. A post has one of these modes';
    return [issueAt(['scheduledFor'], message)];
  }
  const issues = others.map((other) =>
    issueAt([other], `cannot be combined with ${given}. Omit one of them: a post has one mode`),
  );
  if (given !== 'saveAsDraft' && isEmpty(fields.platforms) && extras?.platforms === undefined) {
    issues.push(issueAt(['platforms'], `must have at least one { platform, accountId } with ${given}`));
  }
  return issues;
}

/** Reports a target that repeats an earlier one: the same account would get the post twice. */
export function repeatedTargetIssues(body: unknown): Issue[] {
  const targets: unknown = fieldsOf(body)?.platforms;
  if (!Array.isArray(targets)) return [];
  const keys = targets.map((target: unknown) => {
    const { platform, accountId } = fieldsOf(target) ?? {};
    return typeof accountId === 'string' ? JSON.stringify([platform, accountId]) : undefined;
  });
  return keys.flatMap((key, index) => {
    const first = key === undefined ? index : keys.indexOf(key);
    if (first === index) return [];
    return [issueAt(['platforms', index], `repeats platforms.${String(first)}. List each platform and accountId once`)];
  });
}

function isEmpty(targets: unknown): boolean {
  return targets === undefined || (Array.isArray(targets) && targets.length === 0);
}

function fieldsOf(value: unknown): Fields | undefined {
  return isFields(value) ? value : undefined;
}
