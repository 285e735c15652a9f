import { today } from '../state/clock.js';
import { openDialog } from '../state/dialogs.js';
import { view } from '../state/route.js';
import { chosenDay } from '../views/calendar/calendar.js';

/** Opens the form for a new post. In the calendar, the form begins with the focused or the chosen day, if that day is in the future. */
export function newPost(): void {
  const focused = document.activeElement?.closest<HTMLElement>('[data-date]')?.dataset['date'];
  const day = view.value === 'calendar' ? (focused ?? chosenDay()) : today.value;
  openDialog.value = day > today.value ? { kind: 'compose', day } : { kind: 'compose' };
}
