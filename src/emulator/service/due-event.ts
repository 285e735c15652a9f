import { parseJson } from '../../core/json.js';
import type { Job } from '../state/stored-records.js';

/** The next event of the clock, by its subject. */
export interface DueEvent {
  /** Its time, in milliseconds since 1970. */
  readonly at: number;
  /**
   * `publish`: a post begins to publish. `finish`: its publication ends. `deliver`: a delivery of a webhook. `expire`: a
   * token expires. `answer`: a run of an automation ends. `scenario`: a step of a scenario.
   */
  readonly kind: 'publish' | 'finish' | 'deliver' | 'expire' | 'answer' | 'scenario';
  /** The post, also of a delivery. */
  readonly postId?: string;
  /** The account whose token expires. */
  readonly accountId?: string;
  /** The automation that answers. */
  readonly automationId?: string;
  /** The event type of the delivery. */
  readonly eventType?: string;
}

export function dueEvent(job: Job): DueEvent {
  const { at, kind } = job;
  switch (job.kind) {
    case 'publish':
    case 'finish':
      return { at, kind, postId: job.postId };
    case 'deliver':
      return { at, kind, ...postOf(job.event.body), eventType: job.event.type };
    case 'expire':
      return { at, kind, accountId: job.accountId };
    case 'answer':
      return { at, kind, automationId: job.automationId };
    case 'scenario':
      return { at, kind };
  }
}

/** The emulator wrote the body. A restored state may contain any text. */
function postOf(body: string): { readonly postId?: string } {
  try {
    const { data } = parseJson(body) as { readonly data?: { readonly post?: { readonly id?: unknown } } };
    return typeof data?.post?.id === 'string' ? { postId: data.post.id } : {};
  } catch {
    return {};
  }
}
