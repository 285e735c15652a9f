import { today } from '../state/clock.js';
import { openDialog } from '../state/dialogs.js';
import { view } from '../state/route.js';
import { chosen, chosenDay } from '../views/calendar/calendar.js';

/** Opens the form for a new post: for the chosen day of the calendar, if that is in the future. */
export function newPost(): void {
  const day = view.value === 'calendar' && chosen.value !== '' ? chosenDay() : today.value;
  openDialog.value = day > today.value ? { kind: 'compose', day } : { kind: 'compose' };
}
