import { computed, signal } from '@preact/signals';
import type { Automation, AutomationLog } from 'social-publishing';
import { remote } from '../../state/remote.js';
import { background } from '../../world/session.js';

export const automations = remote<readonly Automation[]>(
  () => background().automations.list(),
  ['automation', 'comment'],
);

export const chosenId = signal('');

export const chosen = computed(() => {
  const all = automations.value.value ?? [];
  return all.find(({ id }) => id === chosenId.value) ?? all[0];
});

const shownLogs = 200;

/** The runs of the chosen automation, the latest first. */
export const logs = remote<readonly AutomationLog[]>(async () => {
  const { value } = chosen;
  if (value === undefined) return [];
  return background().automations.listLogs(value.id, { limit: 100 }).toArray({ maxItems: shownLogs });
}, ['automation', 'comment']);
