import { advanceClock, clock, pauseClock, runClock, today } from '../state/clock.js';
import { openDialog, type ToolDialog } from '../state/dialogs.js';
import { newItem } from '../state/choice.js';
import { failuresIn } from '../state/failures.js';
import { followAddress } from '../state/history.js';
import { actionOf, dismiss, notices, nowOf } from '../state/notices.js';
import { addressOf, linkTo, toggleUtc, view, viewNames, type ViewName } from '../state/route.js';
import { hasMoves, undoMove } from '../state/reschedule.js';
import { resets, resetTo } from '../state/reset.js';
import { nextTheme, theme } from '../state/theme.js';
import { addDays, dayIn, formatDay } from '../state/time.js';
import { titles } from '../state/titles.js';
import { ownZone, usesUtc } from '../state/zone.js';
import { focusAgain, focusedInCalendar, goToToday, layout, layouts } from '../views/calendar/calendar.js';
import { clearRequests } from '../views/requests/requests.js';
import { observed } from '../world/session.js';
import type { Command } from './command.js';
import { moveClock } from './move-clock.js';
import { newPost } from './new-post.js';
import { findRecords, matches } from './record-commands.js';
import { step } from './step.js';

/** The second key after `g`. */
const viewKeys: Readonly<Record<ViewName, string>> = {
  calendar: 'c',
  posts: 'p',
  accounts: 'a',
  comments: 'o',
  messages: 'm',
  automations: 'u',
  analytics: 'y',
  webhooks: 'w',
  requests: 'r',
  faults: 'f',
  durable: 'd',
};

function goTo(name: ViewName): void {
  followAddress(addressOf(name));
}

function viewCommands(): readonly Command[] {
  return viewNames
    .filter((name) => name !== 'durable' || observed.value.length > 0)
    .map((name) => ({
      id: name,
      label: `Go to ${titles[name]}`,
      keys: ['g', viewKeys[name]],
      run: () => {
        goTo(name);
      },
    }));
}

function failureCommands(): readonly Command[] {
  return viewNames.flatMap((name) => {
    const found = failuresIn(name);
    if (found === undefined || found.count === 0) return [];
    return [
      {
        id: `failures-${name}`,
        label: `Show failures in ${titles[name]}`,
        hint: `${found.count} ${found.words}`,
        aliases: 'failed errors retry',
        run: () => {
          followAddress(found.address);
        },
      },
    ];
  });
}

function opens(kind: ToolDialog): () => void {
  return () => {
    openDialog.value = { kind };
  };
}

function toolCommands(): readonly Command[] {
  return [
    {
      id: 'new',
      label: 'New post',
      keys: ['n'],
      aliases: 'publish schedule create write',
      run: newPost,
    },
    { id: 'search', label: 'Search in this view', keys: ['/'], run: search },
    { id: 'connect', label: 'Connect an account', aliases: 'add integration', run: connectAccount },
    {
      id: 'connection',
      label: 'Connect a program',
      aliases: 'curl python php api access key base url',
      run: opens('connection'),
    },
    { id: 'state', label: 'Emulator state: reset, export, import, scenario', run: opens('state') },
    { id: 'shortcuts', label: 'Keyboard shortcuts', keys: ['?'], run: opens('shortcuts') },
    { id: 'zone', label: `Show times in ${usesUtc.value ? ownZone : 'UTC'}`, keys: ['u'], run: toggleUtc },
    { id: 'theme', label: 'Change the theme', aliases: 'dark light', hint: theme.value, run: nextTheme },
  ];
}

/** Returns the action of the latest notice that has one, such as Undo. */
function noticeCommand(): Command | undefined {
  const notice = notices.value.findLast((shown) => actionOf(shown) !== undefined);
  const action = notice === undefined ? undefined : actionOf(notice);
  if (notice === undefined || action === undefined) return undefined;
  const { label, run } = action;
  return {
    id: 'notice',
    label,
    hint: nowOf(notice.text),
    run: () => {
      dismiss(notice.id);
      run();
    },
  };
}

const resetCommands: readonly Command[] = resets.map(({ to, label }) => ({
  id: `reset-${to}`,
  label,
  hint: 'replaces the state of the emulator',
  aliases: to === 'empty' ? 'clear delete reset' : 'reset',
  confirm: `${label}? Press Enter again`,
  run: () => resetTo(to),
}));

const requestCommands: readonly Command[] = [
  {
    id: 'clear-requests',
    label: 'Clear requests',
    hint: 'removes all requests from the list',
    aliases: 'delete',
    confirm: 'Clear requests? Press Enter again',
    run: clearRequests,
  },
];

function clockCommands(): readonly Command[] {
  const isRunning = clock.value?.running === true;
  return [
    isRunning
      ? { id: 'pause', label: 'Pause the clock', run: pauseClock }
      : { id: 'run', label: 'Run the clock', run: () => runClock(1) },
    { id: 'step', label: 'Step to the next due time', run: step },
    {
      id: 'hour',
      label: 'Advance the clock by 1 hour',
      aliases: '+1 h',
      run: () => moveClock(() => advanceClock({ hours: 1 })),
    },
    {
      id: 'day',
      label: 'Advance the clock by 1 day',
      aliases: '+1 d',
      run: () => moveClock(() => advanceClock({ days: 1 })),
    },
    { id: 'clock', label: 'Go to a date and time', run: opens('clock') },
  ];
}

function calendarCommands(): readonly Command[] {
  return [
    ...layouts.map(({ name, label }) => ({
      id: `layout-${name}`,
      label: `Calendar: ${label.toLowerCase()}`,
      keys: [name.slice(0, 1)],
      run: () => {
        if (view.value !== 'calendar') goTo('calendar');
        // The layout is a part of the address of that view.
        setTimeout(() => {
          const focused = focusedInCalendar();
          layout.value = name;
          setTimeout(() => {
            focusAgain(focused);
          });
        });
      },
    })),
    {
      id: 'today',
      label: 'Calendar: today',
      keys: ['t'],
      run: () => {
        if (view.value === 'calendar') goToToday();
        else goTo('calendar');
      },
    },
  ];
}

/** Every command except those of single records. */
export function commands(): readonly Command[] {
  const notice = noticeCommand();
  const undo = { id: 'undo', label: 'Undo the latest move', run: undoMove };
  return [
    ...viewCommands(),
    ...failureCommands(),
    ...(notice === undefined ? [] : [notice]),
    ...(hasMoves() && notice?.label !== 'Undo' ? [undo] : []),
    ...toolCommands(),
    ...formCommands(),
    ...resetCommands,
    ...requestCommands,
    ...clockCommands(),
    ...calendarCommands(),
  ];
}

/** Forms that are a part of a view. */
function formCommands(): readonly Command[] {
  const forms = [
    { label: 'New automation', address: linkTo('automations', { automation: newItem }) },
    { label: 'New conversation', address: linkTo('messages', { conversation: newItem }) },
    { label: 'Subscribe to webhooks', address: linkTo('webhooks', { show: 'subscriptions' }) },
    { label: 'Add a fault or an outcome', address: linkTo('faults', {}), aliases: 'rule' },
  ];
  return forms.map(({ address, ...command }) => ({
    ...command,
    id: command.label,
    run: () => {
      followAddress(address);
    },
  }));
}

/** Goes to the form that connects an account. */
function connectAccount(): void {
  followAddress(linkTo('accounts', { form: 'connect' }));
}

/** Moves the focus to the search field of the view. A view without one opens the search of everything. */
function search(): void {
  const field = document.querySelector<HTMLElement>('main input[type="search"]');
  if (field === null) openDialog.value = { kind: 'commands' };
  else field.focus();
}

/** Returns the day that a word names, by the emulator's clock. */
function namedDay(word: string): string | undefined {
  const distance = { yesterday: -1, today: 0, tomorrow: 1 }[word];
  return distance === undefined ? undefined : addDays(today.value, distance);
}

/** A date leads to its day in the calendar. */
function dayCommands(query: string): readonly Command[] {
  const day = dayIn(query.trim()) ?? namedDay(query.trim().toLowerCase());
  if (day === undefined) return [];
  return [
    {
      id: 'day',
      label: `Go to ${formatDay(day)}`,
      run: () => {
        followAddress(linkTo('calendar', { day }));
      },
    },
  ];
}

/** Orders commands: labels that begin with the query, labels that contain it, then those that match otherwise. */
function rankOf({ label }: Command, words: readonly string[]): number {
  if (label.toLowerCase().startsWith(words.join(' '))) return 0;
  return matches(label, words) ? 1 : 2;
}

/** Finds commands and records that contain every word, and the day that the query names. */
export function find(query: string): readonly Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands().filter(({ label, hint = '', aliases = '' }) =>
    matches(`${label} ${hint} ${aliases}`, words),
  );
  if (words.length === 0) return found;
  const ranked = found.toSorted((a, b) => rankOf(a, words) - rankOf(b, words));
  return [...ranked, ...dayCommands(query), ...findRecords(words)];
}
