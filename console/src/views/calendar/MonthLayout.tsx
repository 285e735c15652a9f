import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { today } from '../../state/clock.js';
import { posts, postsRead } from '../../state/posts.js';
import { isNarrow } from '../../state/screen.js';
import { addDays, addMonths, formatMonth, weekdayOf, weeksOf } from '../../state/time.js';
import { choose } from './calendar.js';
import { CalendarDay } from './CalendarDay.js';

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The weeks of a month as a table. */
export function MonthLayout({ day }: { readonly day: string }) {
  const table = useRef<HTMLTableElement>(null);
  const focusNext = useRef(false);
  useLayoutEffect(() => {
    if (!focusNext.current) return;
    focusNext.current = false;
    table.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
  }, [day]);
  useDayInSight(table);
  return (
    <table
      ref={table}
      class="calendar"
      aria-label={`Posts of ${formatMonth(day)}. Arrow keys move from day to day, Enter goes to the posts of the day.`}
      onKeyDown={(event) => {
        // Keys are pressed on elements of this page.
        const { day: pressed } = (event.target as HTMLElement).dataset;
        if (pressed === undefined) return;
        const next = dayAfterKey(event.key, day);
        if (next !== undefined) {
          focusNext.current = true;
          choose(next);
        } else if (event.key === 'Enter' && pressed === day) focusPosts();
        else return;
        event.preventDefault();
      }}
    >
      <Weekdays />
      <tbody>
        {weeksOf(day).map((week) => (
          <tr key={week[0]}>
            {week.map((date) => (
              <CalendarDay
                key={date}
                day={date}
                isChosen={date === day}
                isToday={date === today.value}
                isOutside={date.slice(0, 7) !== day.slice(0, 7)}
                choose={() => {
                  choose(date);
                  showDayBelow();
                }}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Scrolls to the week of the chosen day when the posts are read: busy weeks before it may move it out of sight. */
function useDayInSight(table: RefObject<HTMLTableElement>): void {
  const isRead = postsRead.value;
  useEffect(() => {
    // Without posts, the first steps above the month are more important. On a phone, the heading and the filters are.
    if (posts.peek().length === 0 || isNarrow.peek()) return;
    const week = table.current?.querySelector('[aria-pressed="true"]')?.closest('tr');
    if ((week?.getBoundingClientRect().top ?? 0) > innerHeight) week?.scrollIntoView({ block: 'nearest' });
  }, [table, isRead]);
}

/** On a page that has no room beside the month, scrolls to the posts of a pressed day. */
function showDayBelow(): void {
  if (isNarrow.value) return;
  // The page draws its posts first.
  requestAnimationFrame(() => {
    const [month, panel] = ['.calendar', '.day-panel'].map((part) => document.querySelector(part));
    const isBelow = (panel?.getBoundingClientRect().top ?? 0) >= (month?.getBoundingClientRect().bottom ?? Infinity);
    if (isBelow) panel?.scrollIntoView({ block: 'nearest' });
  });
}

/** Moves the focus to the first post of the chosen day or, if it has none, to the button for a new one. */
function focusPosts(): void {
  document.querySelector<HTMLElement>('.day-panel :is([data-row][tabindex="0"], .button)')?.focus();
}

function dayAfterKey(key: string, day: string): string | undefined {
  const weekday = weekdayOf(day);
  switch (key) {
    case 'ArrowLeft':
      return addDays(day, -1);
    case 'ArrowRight':
      return addDays(day, 1);
    case 'ArrowUp':
      return addDays(day, -7);
    case 'ArrowDown':
      return addDays(day, 7);
    case 'PageUp':
      return addMonths(day, -1);
    case 'PageDown':
      return addMonths(day, 1);
    case 'Home':
      return addDays(day, -weekday);
    case 'End':
      return addDays(day, 6 - weekday);
    default:
      return undefined;
  }
}

function Weekdays() {
  return (
    <thead>
      <tr>
        {weekdays.map((name) => (
          <th key={name} scope="col" abbr={name}>
            <span aria-hidden="true">{name.slice(0, 3)}</span>
            <span class="unseen">{name}</span>
          </th>
        ))}
      </tr>
    </thead>
  );
}
