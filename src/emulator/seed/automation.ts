import {
  automationLogSchema,
  automationSchema,
  eligiblePostSchema,
  type Automation,
  type AutomationLog,
  type EligiblePost,
} from '../../resources/automations.js';
import { shownAutomation } from '../handlers/automations.js';
import type { Service } from '../handlers/handler.js';
import { withoutUndefined } from '../service/fields.js';
import { addTo } from '../state/table.js';
import { timestamp } from '../state/time.js';
import { integrationOf, newPerson } from './accounts.js';
import { checked } from './checks.js';

/** A post that an automation can watch. */
export type EligiblePostSeed = Partial<EligiblePost> & {
  /** The integration's ID. */
  readonly accountId: string;
};

/** An automation to seed. */
export type AutomationSeed = Partial<Automation> & {
  /** The integration's ID. */
  readonly accountId: string;
};

/** A run of an automation. */
export type AutomationLogSeed = Partial<AutomationLog> & {
  /** The automation's ID. */
  readonly automationId: string;
};

export function seedEligiblePost({ store, clock }: Service, fields: EligiblePostSeed): EligiblePost {
  const { accountId, ...rest } = fields;
  integrationOf(store, 'seed.eligiblePost', accountId);
  const id = rest.id ?? store.id('platformPost');
  const filled = {
    caption: '',
    mediaType: 'IMAGE',
    permalink: `https://www.instagram.com/p/${encodeURIComponent(id)}`,
    previewUrl: `https://images.service.invalid/${encodeURIComponent(id)}.png`,
    timestamp: timestamp(clock.now()),
    ...withoutUndefined(rest),
    id,
  };
  const post: EligiblePost = checked('eligiblePost', eligiblePostSchema(), filled);
  addTo(store.state.eligiblePosts, accountId, post);
  return structuredClone(post);
}

export function seedAutomation({ store, clock }: Service, fields: AutomationSeed): Automation {
  const { platform } = integrationOf(store, 'seed.automation', fields.accountId);
  const now = timestamp(clock.now());
  const filled = {
    platform,
    name: 'Automation',
    status: 'active',
    createdAt: now,
    updatedAt: now,
    ...withoutUndefined(fields),
    id: fields.id ?? store.id('automation'),
    trigger: { postScope: 'any', keywords: [], matchMode: 'exact', excludeKeywords: [], ...fields.trigger },
    actions: { publicReplies: [], ...fields.actions },
  };
  const automation: Automation = checked('automation', automationSchema(), filled);
  store.state.automations.set(automation.id, automation);
  return structuredClone(shownAutomation(store, automation));
}

export function seedAutomationLog(service: Service, fields: AutomationLogSeed): AutomationLog {
  const { store, clock } = service;
  const { automationId, ...rest } = fields;
  if (!store.state.automations.has(automationId))
    throw new TypeError('seed.automationLog: automationId does not match an automation.');
  const commenter = newPerson(service);
  const filled = {
    commentId: store.id('comment'),
    commenterId: commenter.id,
    commenterName: commenter.name,
    commentText: '',
    platformPostId: 'instagram_post',
    status: 'running',
    privateReplySent: rest.error === undefined,
    publicReplyStatus: 'sent',
    createdAt: timestamp(clock.now()),
    ...withoutUndefined(rest),
    id: rest.id ?? store.id('log'),
  };
  const log: AutomationLog = checked('automationLog', automationLogSchema(), filled);
  addTo(store.state.logs, automationId, log);
  return structuredClone(log);
}
