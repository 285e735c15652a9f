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
] as const;

export type ViewName = (typeof viewNames)[number];

const hash = signal(location.hash);

addEventListener('hashchange', () => {
  hash.value = location.hash;
});

/** The view that the address names, and what follows it. */
export const route = computed<{ readonly view: ViewName; readonly rest: string }>(() => {
  const [, name = '', rest = ''] = /^#\/([a-z]+)(?:\/(.*))?$/.exec(hash.value) ?? [];
  const view = viewNames.find((known) => known === name) ?? 'calendar';
  return { view, rest: decodeURIComponent(rest) };
});
