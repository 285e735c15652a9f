import { signal } from '@preact/signals';

/** A button of a notice. */
export interface NoticeAction {
  readonly label: string;
  readonly run: () => void;
  /** Whether the action is still possible. */
  readonly isOffered?: () => boolean;
}

type Tone = 'good' | 'warn' | 'bad';

/** A value, or a function that is read again when what it reads changes. */
type Live<Value extends string> = Value | (() => Value);

export function nowOf<Value extends string>(value: Live<Value>): Value {
  return typeof value === 'string' ? value : value();
}

export interface Notice {
  readonly id: number;
  readonly text: Live<string>;
  readonly tone: Live<Tone>;
  readonly action?: NoticeAction;
}

/** Returns the action of a notice while it is possible. */
export function actionOf({ action }: Notice): NoticeAction | undefined {
  return action?.isOffered?.() === false ? undefined : action;
}

const shownNotices = 2;
const shownMs = 6_000;
/** There must be time to read a failure, and to reach a button. */
const longerMs = 20_000;
const heldMs = 2_000;
let count = 0;

/** Recent actions and errors: shown for a while, and read by screen readers. */
export const notices = signal<readonly Notice[]>([]);

/** A text for screen readers in addition to the notices: an event as it happens. */
interface Announcement {
  readonly text: string;
}

export const announcement = signal<Announcement>({ text: '' });

/** Returns the ID of the latest notice: later notices have higher ones. */
export const latestNotice = (): number => count;

/** Shows a notice. Returns its ID. */
export function notify(text: Live<string>, tone: Live<Tone> = 'good', action?: NoticeAction): number {
  count += 1;
  const notice = { id: count, text, tone, ...(action === undefined ? {} : { action }) };
  notices.value = [...notices.value, notice].slice(-shownNotices);
  setTimeout(dismissUnheld, action === undefined && tone !== 'bad' ? shownMs : longerMs, notice.id);
  return notice.id;
}

/** Whether the user points at the notices, or has the focus there. */
function areHeld(): boolean {
  // A finger points at nothing afterwards, but the touched element still matches `:hover`.
  const pointed = matchMedia('(hover: hover)').matches ? ':hover, ' : '';
  return document.querySelector(`.notices:is(${pointed}:focus-within)`) !== null;
}

function dismissUnheld(id: number): void {
  if (areHeld()) setTimeout(dismissUnheld, heldMs, id);
  else dismiss(id);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

/** Removes confirmations: they belong to the view in which the user acted. A notice that needs attention stays. */
export function dismissConfirmations(): void {
  notices.value = notices.value.filter(({ tone, action }) => nowOf(tone) !== 'good' || action !== undefined);
}

/** Removes notices with a button: after the whole state was replaced, their records are gone. */
export function dismissActions(): void {
  notices.value = notices.value.filter(({ action }) => action === undefined);
}

export function announce(text: string): void {
  announcement.value = { text };
}
