import { computed } from '@preact/signals';
import type { Post } from 'social-publishing';
import { today } from '../../state/clock.js';
import { hasProblem, matchesFilter } from '../../state/post-filter.js';
import { groupByDay, posts } from '../../state/posts.js';
import { viewParam } from '../../state/route.js';
import { addDays, addMonths, dayIn, formatMonth, formatPeriod, weekOf } from '../../state/time.js';

/** The chosen day; `''`: today. */
export const chosen = viewParam('calendar', 'day');
export const status = viewParam('calendar', 'status');
export const platform = viewParam('calendar', 'platform');
const layoutName = viewParam('calendar', 'layout', 'push');

export type Layout = 'month' | 'week' | 'agenda';

export const layouts: readonly { readonly name: Layout; readonly label: string }[] = [
  { name: 'month', label: 'Month' },
  { name: 'week', label: 'Week' },
  { name: 'agenda', label: 'Agenda' },
];

/** How the days are laid out. */
export const layout = {
  get value(): Layout {
    return layouts.find(({ name }) => name === layoutName.value)?.name ?? 'month';
  },
  set value(name: Layout) {
    layoutName.value = name === 'month' ? '' : name;
  },
};

/** The number of days in the agenda. */
export const agendaDays = 28;

/** The chosen day; today by the emulator's clock if the address contains none. */
export function chosenDay(): string {
  return dayIn(chosen.value) ?? today.value;
}

/** Chooses a day, if the calendar can show it. */
export function choose(day: string): void {
  if (dayIn(day) !== undefined) chosen.value = day;
}

/** Removes a day that the calendar cannot show from the address. */
export function forgetWrongDay(): void {
  if (chosen.value !== '' && dayIn(chosen.value) === undefined) chosen.value = '';
}

/** Moves the focus to the button of a day. */
export function focusDay(day: string): void {
  document.querySelector<HTMLElement>(`main [data-day="${day}"]`)?.focus();
}

/** Returns the selector of the day or the post that has the focus. Undefined: neither has it. */
export function focusedInCalendar(): string | undefined {
  const { post, day } = document.activeElement instanceof HTMLElement ? document.activeElement.dataset : {};
  if (post !== undefined) return `[data-post="${CSS.escape(post)}"][tabindex="0"]`;
  return day === undefined ? undefined : `[data-day="${day}"]`;
}

/** Moves the focus to the same day or post in another layout or, if it is not shown there, to the heading. */
export function focusAgain(selector: string | undefined): void {
  if (selector === undefined) return;
  (document.querySelector<HTMLElement>(`main ${selector}`) ?? document.querySelector<HTMLElement>('main h1'))?.focus();
}

/** Chooses today, and moves the focus to it. */
export function goToToday(): void {
  chosen.value = '';
  // The page may show another period first.
  setTimeout(() => {
    focusDay(chosenDay());
  });
}

/** The posts that match the filters. */
export const shownPosts = computed(() => {
  const filter = { status: status.value, platform: platform.value };
  return posts.value.filter((post) => matchesFilter(post, filter));
});

/** The posts that match the filters, by day. */
export const shownByDay = computed(() => groupByDay(shownPosts.value));

/** Returns the posts of a day for which there is room, in order of time. It goes to failed and partial posts first. */
export function pickPosts(all: readonly Post[], most: number): readonly Post[] {
  if (all.length <= most) return all;
  const first = [...all].sort((a, b) => Number(hasProblem(b)) - Number(hasProblem(a)));
  const picked = new Set(first.slice(0, most));
  return all.filter((post) => picked.has(post));
}

export const isFiltered = computed(() => status.value !== '' || platform.value !== '');

/** The name of the shown period, the length of a step, and the day one or more steps away. */
export interface Period {
  readonly title: string;
  readonly step: string;
  readonly move: (steps: number) => string;
}

export function periodOf(name: Layout, day: string): Period {
  switch (name) {
    case 'month':
      return { title: formatMonth(day), step: 'month', move: (steps) => addMonths(day, steps) };
    case 'week': {
      const week = weekOf(day);
      const title = formatPeriod(week[0] ?? day, week[6] ?? day);
      return { title, step: 'week', move: (steps) => addDays(day, steps * 7) };
    }
    case 'agenda': {
      const title = formatPeriod(day, addDays(day, agendaDays - 1));
      return { title, step: 'four weeks', move: (steps) => addDays(day, steps * agendaDays) };
    }
  }
}
