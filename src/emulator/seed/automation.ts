import { withoutUndefined } from '../../core/json.js';
import type { Automation, AutomationLog, EligiblePost } from '../../resources/automations.js';
import { shownAutomation } from '../handlers/automations.js';
import type { Service } from '../handlers/handler.js';
import { addTo } from '../state/table.js';
import { timestamp } from '../state/time.js';
import { integrationOf, newPerson } from './accounts.js';

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
  const post: EligiblePost = {
    id,
    caption: '',
    mediaType: 'IMAGE',
    permalink: `https://www.instagram.com/p/${encodeURIComponent(id)}`,
    previewUrl: `https://images.service.invalid/${encodeURIComponent(id)}.png`,
    timestamp: timestamp(clock.now()),
    ...withoutUndefined(rest),
  };
  addTo(store.state.eligiblePosts, accountId, post);
  return post;
}

export function seedAutomation({ store, clock }: Service, fields: AutomationSeed): Automation {
  const { platform } = integrationOf(store, 'seed.automation', fields.accountId);
  const now = timestamp(clock.now());
  const { accountId, trigger, actions, ...rest } = fields;
  const automation: Automation = {
    id: rest.id ?? store.id('automation'),
    accountId,
    platform,
    name: 'Automation',
    status: 'active',
    trigger: { postScope: 'any', keywords: [], matchMode: 'exact', excludeKeywords: [], ...trigger },
    actions: { publicReplies: [], ...actions },
    createdAt: now,
    updatedAt: now,
    ...withoutUndefined(rest),
  };
  store.state.automations.set(automation.id, automation);
  return shownAutomation(store, automation);
}

export function seedAutomationLog(service: Service, fields: AutomationLogSeed): AutomationLog {
  const { store, clock } = service;
  const { automationId, ...rest } = fields;
  if (!store.state.automations.has(automationId))
    throw new TypeError('seed.automationLog: automationId does not match an automation.');
  const commenter = newPerson(service);
  const log: AutomationLog = {
    id: rest.id ?? store.id('log'),
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
  };
  addTo(store.state.logs, automationId, log);
  return log;
}
