import { computed, signal } from '@preact/signals';
import type { AutomationLog, EligiblePost } from 'social-publishing';
import { onlyFailed } from '../../parts/OutcomeFilter.js';
import { instagramAccounts } from '../../state/accounts.js';
import { automations } from '../../state/automations.js';
import { choiceOf, unknownId } from '../../state/choice.js';
import { setParams, viewParam } from '../../state/route.js';
import { remote } from '../../state/remote.js';
import { background } from '../../world/session.js';

/** `failed` or, for all, `''`. */
export const outcome = viewParam('automations', 'outcome');

/** The automations with matching runs. */
export const shownAutomations = computed(() => {
  const all = automations.value.value ?? [];
  return outcome.value === onlyFailed ? all.filter(({ stats }) => (stats?.failed ?? 0) > 0) : all;
});

const automationId = viewParam('automations', 'automation', 'push');

export const automation = choiceOf(shownAutomations, ({ id }) => id, automationId);

/** An automation that the filter hides exists. */
export const unknownAutomation = unknownId(automations.value, ({ id }) => id, automationId);

/** Shows a created automation. The Back button does not lead to the form again. */
export async function showCreated(id: string): Promise<void> {
  await automations.reload();
  // The filter would hide it.
  setParams({ automation: id, outcome: '' }, 'replace');
}

const shownLogs = 200;

/** The runs of the chosen automation, the latest first. */
export const logs = remote<readonly AutomationLog[]>(async () => {
  const { value } = automation.chosen;
  if (value === undefined) return [];
  return background().automations.listLogs(value.id, { limit: 100 }).toArray({ maxItems: shownLogs });
}, ['automation', 'comment']);

/** The account of a new automation: only Instagram has automations. */
export const account = choiceOf(instagramAccounts, ({ id }) => id);

/** The post of a new automation. `''`: any post. */
export const watchedPost = signal('');

/** The posts of that account that an automation can watch. */
export const eligible = remote<readonly EligiblePost[]>(async () => {
  const { value } = account.chosen;
  if (value === undefined) return [];
  return background().automations.listEligiblePosts({ accountId: value.id }).toArray({ maxItems: 50 });
}, ['post', 'account']);
