import { computed, effect, signal } from '@preact/signals';
import { isGoingBack, leaveAddress, pushAddress, rewriteAddress } from './history.js';
import { usesUtc } from './zone.js';

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

/** The parts of the address after the hash: `#/posts?status=failed&post=post_1`. */
interface ConsoleRoute {
  readonly name: string;
  readonly params: URLSearchParams;
}

const hash = signal(location.hash);

addEventListener('hashchange', () => {
  if (!isGoingBack()) hash.value = location.hash;
});

const route = computed<ConsoleRoute>(() => {
  const [, name = '', query = ''] = /^#\/([a-z]+)(?:\/[^?]*)?(?:\?(.*))?$/.exec(hash.value) ?? [];
  return { name, params: new URLSearchParams(query) };
});

/** The view that the address names. */
export const view = computed<ViewName>(() => viewNames.find((known) => known === route.value.name) ?? 'calendar');

/** The name in the address, if it names no view. */
export const unknownView = computed(() => {
  const [, name = ''] = /^#?\/*([^?]*)/.exec(hash.value) ?? [];
  return name === '' || route.value.name === view.value ? undefined : name;
});

/** A value that the address contains. `''`: it does not. */
export interface AddressValue {
  value: string;
}

/** Parameters of every view: the open dialog. */
const dialogParams: readonly string[] = ['post', 'edit', 'compose', 'from', 'tool'];

/** The time zone of the page, in the address of every view. */
const zoneParam = 'zone';

const queryOf = (params: URLSearchParams) => (params.size === 0 ? '' : `?${params.toString()}`);

/**
 * Writes parameters into the address; an empty one is removed. `push`: the Back button leads to the address before.
 * `leave`: the entry of a dialog ends.
 */
export function setParams(changes: Readonly<Record<string, string>>, how: 'push' | 'replace' | 'leave'): void {
  const before = route.value.params;
  const params = new URLSearchParams(before);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') params.delete(name);
    else params.set(name, value);
  }
  const next = `#/${view.value}${queryOf(params)}`;
  if (next === hash.value) return;
  if (how === 'push') pushAddress(next, `#/${view.value}${queryOf(before)}`);
  else if (how === 'leave') leaveAddress(next);
  else rewriteAddress(next);
  hash.value = next;
}

/** Goes to an address in place of the current one: the Back button does not lead to the current one again. */
export function replaceAddress(next: string): void {
  rewriteAddress(next);
  hash.value = next;
}

export const param = (name: string): string => route.value.params.get(name) ?? '';

/** A parameter of one view, as a signal. A selection can be undone with the Back button, a filter cannot. */
export function viewParam(owner: ViewName, name: string, how: 'push' | 'replace' = 'replace'): AddressValue {
  return {
    get value() {
      return view.value === owner ? param(name) : '';
    },
    set value(value) {
      setParams({ [name]: value }, how);
    },
  };
}

const queries = signal<Readonly<Partial<Record<ViewName, string>>>>({});

effect(() => {
  const params = new URLSearchParams(route.value.params);
  for (const name of [...dialogParams, zoneParam]) params.delete(name);
  queries.value = { ...queries.peek(), [view.value]: params.toString() };
});

/** The address of a view with the filters that it had. */
export const addressOf = (name: ViewName): string => withZone(name, new URLSearchParams(queries.value[name]));

/** The address of a view with other filters. */
export const addressWith = (name: ViewName, filters: Readonly<Record<string, string>>): string =>
  withZone(name, new URLSearchParams(filters));

function withZone(name: ViewName, params: URLSearchParams): string {
  if (usesUtc.value) params.set(zoneParam, 'utc');
  return `#/${name}${queryOf(params)}`;
}

/** The address of a view with these parameters only. */
export function linkTo(name: ViewName, params: Readonly<Record<string, string>>): string {
  const all = new URLSearchParams(params);
  if (usesUtc.value) all.set(zoneParam, 'utc');
  return `#/${name}${queryOf(all)}`;
}

effect(() => {
  usesUtc.value = param(zoneParam) === 'utc';
});

/** Shows times in UTC, or again in the browser's time zone. */
export function toggleUtc(): void {
  setParams({ [zoneParam]: usesUtc.value ? '' : 'utc' }, 'replace');
}
