import { openDialog } from '../state/dialogs.js';
import { notifyError } from '../state/notify-error.js';
import { undoMove } from '../state/reschedule.js';
import { view } from '../state/route.js';
import type { Command } from './command.js';
import { commands } from './commands.js';
import { hasSingleKeys } from './keys.js';

/** The time for the second key of a sequence. */
const sequenceMs = 1_500;

/** Runs a command, and shows its error. */
export async function runCommand({ run }: Command): Promise<void> {
  try {
    await run();
  } catch (error) {
    await notifyError(error);
  }
}

function isTyping({ target }: KeyboardEvent): boolean {
  return target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null;
}

/** The layouts and Today belong to the calendar. */
const isOffered = ({ id }: Command) => view.value === 'calendar' || !(id.startsWith('layout-') || id === 'today');

function toggleCommands(event: KeyboardEvent): void {
  // Some browsers move the focus to their own search field.
  event.preventDefault();
  const open = openDialog.value;
  if (open?.kind === 'commands') openDialog.value = undefined;
  else if (open === undefined || open.kind === 'menu') openDialog.value = { kind: 'commands' };
}

/** Listens to the keys of commands. Returns a function that stops it. */
export function listenToKeys(): () => void {
  let [first, since] = ['', 0];
  const pressed = (event: KeyboardEvent) => {
    const { key, ctrlKey, metaKey, altKey, shiftKey } = event;
    if ((ctrlKey || metaKey) && !altKey && key.toLowerCase() === 'k') {
      toggleCommands(event);
      return;
    }
    const isUndo = (ctrlKey || metaKey) && !altKey && !shiftKey && key === 'z';
    if (isUndo && openDialog.value === undefined && !isTyping(event)) {
      event.preventDefault();
      void undoMove();
      return;
    }
    if (event.defaultPrevented || ctrlKey || metaKey || altKey || event.repeat || key.length !== 1) return;
    if (!hasSingleKeys.value || openDialog.value !== undefined || isTyping(event)) return;
    const isSecond = first !== '' && event.timeStamp - since < sequenceMs;
    const typed = isSecond ? [first, key] : [key];
    const command = commands()
      .filter(isOffered)
      .find(({ keys = [] }) => keys.join(' ') === typed.join(' '));
    [first, since] = key === 'g' && !isSecond ? [key, event.timeStamp] : ['', 0];
    if (command === undefined) return;
    event.preventDefault();
    void runCommand(command);
  };
  addEventListener('keydown', pressed);
  return () => {
    removeEventListener('keydown', pressed);
  };
}
