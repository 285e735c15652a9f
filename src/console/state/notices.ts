import { signal } from '@preact/signals';

export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly tone: 'good' | 'bad';
}

const shownMs = 6_000;
let count = 0;

/** Recent actions and errors: shown for a while, and read by screen readers. */
export const notices = signal<readonly Notice[]>([]);

/** The text for screen readers in addition to the notices: events as they happen. */
export const announcement = signal('');

export function notify(text: string, tone: Notice['tone'] = 'good'): void {
  count += 1;
  const notice = { id: count, text, tone };
  notices.value = [...notices.value, notice].slice(-3);
  setTimeout(() => {
    dismiss(notice.id);
  }, shownMs);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((notice) => notice.id !== id);
}

export function announce(text: string): void {
  announcement.value = text;
}
