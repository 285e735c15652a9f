import { useEffect, useRef } from 'preact/hooks';
import { Icon } from '../../parts/Icon.js';
import { Problem } from '../../parts/Problem.js';
import { View } from '../../parts/View.js';
import { today } from '../../state/clock.js';
import { loadPosts, postsError } from '../../state/posts.js';
import { viewParam } from '../../state/route.js';
import { addDays, addMonths, formatMonth, startOf, weekdayOf, weeksOf } from '../../state/time.js';
import { CalendarDay } from './CalendarDay.js';
import { DayPanel } from './DayPanel.js';

const chosen = viewParam('calendar', 'day');

/** The chosen day; today by the emulator's clock if the address contains none. */
const chosenDay = () => (/^\d{4}-\d{2}-\d{2}$/.test(chosen.value) ? chosen.value : today.value);

const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

export function CalendarView() {
  const day = chosenDay();
  return (
    <View
      title={formatMonth(startOf(day))}
      about="What goes out when, with the state of every target."
      actions={<MonthButtons day={day} />}
    >
      <Problem text={postsError.value} retry={() => void loadPosts()} />
      <div class="calendar-and-day">
        <Month day={day} today={today.value} />
        <DayPanel day={day} />
      </div>
    </View>
  );
}

function MonthButtons({ day }: { readonly day: string }) {
  return (
    <>
      <button
        type="button"
        class="button button-icon"
        aria-label="Previous month"
        onClick={() => {
          chosen.value = addMonths(day, -1);
        }}
      >
        <Icon name="left" />
      </button>
      <button
        type="button"
        class="button"
        onClick={() => {
          chosen.value = '';
        }}
      >
        Today
      </button>
      <button
        type="button"
        class="button button-icon"
        aria-label="Next month"
        onClick={() => {
          chosen.value = addMonths(day, 1);
        }}
      >
        <Icon name="right" />
      </button>
    </>
  );
}

function Month({ day, today }: { readonly day: string; readonly today: string }) {
  const table = useRef<HTMLTableElement>(null);
  const focusNext = useRef(false);
  useEffect(() => {
    if (!focusNext.current) return;
    focusNext.current = false;
    table.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
  }, [day]);
  return (
    <table
      ref={table}
      class="calendar"
      aria-label={`Posts of ${formatMonth(startOf(day))}. Arrow keys move from day to day.`}
      onKeyDown={(event) => {
        const next = dayAfterKey(event.key, day);
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
                isToday={date === today}
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
