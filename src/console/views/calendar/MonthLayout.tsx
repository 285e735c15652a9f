import { useLayoutEffect, useRef } from 'preact/hooks';
import { today } from '../../state/clock.js';
import { addDays, addMonths, formatMonth, weekdayOf, weeksOf } from '../../state/time.js';
import { chosen } from './calendar.js';
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
  return (
    <table
      ref={table}
      class="calendar"
      aria-label={`Posts of ${formatMonth(day)}. Arrow keys move from day to day.`}
      onKeyDown={(event) => {
        const next = dayAfterKey(event.key, day);
        // Keys are pressed on elements of this page.
        if (next === undefined || (event.target as HTMLElement).dataset['day'] === undefined) return;
        event.preventDefault();
        focusNext.current = true;
        chosen.value = next;
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
                  chosen.value = date;
                }}
              />
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
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
