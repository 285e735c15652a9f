/** Reads the request of a create: its body together with its `extraBody`. */
import { type Fields, isFields } from '../core/json.js';
import { issueAt } from '../core/call/options.js';
import type { Issue } from '../core/errors.js';
import type { ReadBody } from '../core/call/endpoint.js';
import { momentOf } from '../model/instant.js';
import { readArgument } from '../schema/issues.js';
import { createPostBodySchema } from './post-shapes.js';

const modes = ['saveAsDraft', 'publishNow', 'scheduledFor'] as const;
type Mode = (typeof modes)[number];

/** A create, as it was read. */
export interface ReadCreate extends ReadBody {
  /** The body in its wire form, merged with `extraBody`: what the service gets. */
  readonly request: Fields;
  readonly mode: Mode | undefined;
}

/**
 * Reads a create. Its issues include a missing mode, a second mode and missing targets: the type of a body from a form cannot
 * show them.
 * @param options the names of the options of `posts.create`, its second argument, for a hint
 */
export function readCreate(body: unknown, extraBody: unknown, options?: ReadonlySet<string>): ReadCreate {
  const { timezone } = isFields(extraBody) ? extraBody : {};
  const calls = options === undefined ? { options: new Set(['extraBody']) } : { options, place: 'second' };
  const read = readArgument(createPostBodySchema(), body, { extra: 'extraBody', timezone, ...calls });
  const request = requestOf({ body: read.wire, extraBody });
  // The schema reports a body that is not an object.
  const rules = isFields(read.wire) ? [...repeatedTargetIssues(read.wire), ...modeIssues(request)] : [];
  return { wire: read.wire, issues: [...read.issues, ...rules], request, mode: modeOf(request) };
}

/** Returns what the service gets. `extraBody` overrides the body. */
export function requestOf({ body, extraBody }: { readonly body: unknown; readonly extraBody?: unknown }): Fields {
  return { ...(isFields(body) ? body : {}), ...(isFields(extraBody) ? extraBody : {}) };
}

/** Returns the mode of a request. A request with several modes is refused. */
export function modeOf(request: Fields): Mode | undefined {
  return modesOf(request)[0];
}

/** Returns the scheduled time of a request, in milliseconds since 1970. `undefined`: it has none, or one without an offset. */
export function scheduledTime(request: Fields): number | undefined {
  return modeOf(request) === 'scheduledFor' ? momentOf(request.scheduledFor) : undefined;
}

/** A post that goes out in less than this time counts as published now. */
const soonMs = 5 * 60_000;

/** Whether a request publishes a post in less than 5 minutes, or at an uncertain time. */
export function goesOutSoon(request: Fields, at: number): boolean {
  if (request.saveAsDraft === true) return false;
  const time = scheduledTime(request);
  return time === undefined || time - at < soonMs;
}

function modesOf(request: Fields): Mode[] {
  return modes.filter((mode) => (request[mode] ?? false) !== false);
}

function modeIssues(request: Fields): Issue[] {
  const [given, ...others] = modesOf(request);
  if (given === undefined) {
    const message = 'is required, or publishNow: true, or saveAsDraft: true. A post has one of these modes';
    return [issueAt(['scheduledFor'], message)];
  }
  const issues = others.map((other) =>
    issueAt([other], `cannot be combined with ${given}. Omit one of them: a post has one mode`),
  );
  if (given !== 'saveAsDraft' && isEmpty(request.platforms))
    issues.push(issueAt(['platforms'], `must have at least one { platform, accountId } with ${given}`));
  return issues;
}

/** Reports a target that repeats an earlier one: the same account would get the post twice. */
export function repeatedTargetIssues(body: unknown): Issue[] {
  const targets: unknown = isFields(body) ? body.platforms : undefined;
  if (!Array.isArray(targets)) return [];
  const keys = targets.map((target: unknown) => {
    const { platform, accountId } = isFields(target) ? target : {};
    return typeof accountId === 'string' ? JSON.stringify([platform, accountId]) : undefined;
  });
  return keys.flatMap((key, index) => {
    const first = key === undefined ? index : keys.indexOf(key);
    if (first === index) return [];
    return [issueAt(['platforms', index], `repeats platforms.${String(first)}. List each platform and accountId once`)];
  });
}

function isEmpty(targets: unknown): boolean {
  return targets === undefined || targets === null || (Array.isArray(targets) && targets.length === 0);
}
