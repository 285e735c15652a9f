import { computed, signal } from '@preact/signals';

/** The views in the order of the navigation. */
export const viewNames = [
  'calendar',
  'posts',
  'accounts',
  'comments',
  'messages',
  'automations',
  'analytics',
  'webhooks',
  'requests',
  'faults',
  'durable',
] as const;

export type ViewName = (typeof viewNames)[number];

const hash = signal(location.hash);

addEventListener('hashchange', () => {
  hash.value = location.hash;
});

/** The view in the address; the text after its name is ignored. */
export const view = computed<ViewName>(() => {
  const [, name = ''] = /^#\/([a-z]+)(?:\/|$)/.exec(hash.value) ?? [];
  return viewNames.find((known) => known === name) ?? 'calendar';
});
