import { signal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import type { Post } from 'social-publishing';
import { openDialog } from '../../state/dialogs.js';
import { notifyError } from '../../state/notify-error.js';
import { dismiss, notify } from '../../state/notices.js';
import { findPost, posts, timeOf, titleOfPost } from '../../state/posts.js';
import { canReschedule, postToFocus, reschedule, warningOfPast } from '../../state/reschedule.js';
import { view } from '../../state/route.js';
import { addDays, dayOf, formatDateTime, instant, onDay } from '../../state/time.js';
import { chosen, chosenDay, shownPosts } from './calendar.js';

/** The post that the mouse drags. */
const dragged = signal<Post | undefined>(undefined);

let isMoving = false;
/** The notice that asks whether a post must move to a past time. */
let lastOffer = 0;

/** Moves a post. A slip must not publish it: a move to a past time waits for the button of a notice. */
async function move(post: Post, to: Date, isConfirmed = false): Promise<void> {
  if (isMoving) return;
  if (!isConfirmed && warningOfPast(to) !== '') {
    offerPast(post, to);
    return;
  }
  isMoving = true;
  dismiss(lastOffer);
  try {
    await reschedule(post, to);
    postToFocus.value = post.postId;
  } catch (error) {
    await notifyError(error);
  } finally {
    isMoving = false;
  }
}

function offerPast(post: Post, to: Date): void {
  dismiss(lastOffer);
  const text = `${titleOfPost(post)} was not moved: ${formatDateTime(to)} is past, so it would be published.`;
  lastOffer = notify(text, 'warn', {
    label: 'Move it there',
    run: () => {
      void move(post, to, true);
    },
  });
}

/** Returns the properties of a post's button in the calendar: a scheduled post can be moved. */
export function movable(post: Post) {
  const { postId } = post;
  if (!canReschedule(post)) return { 'data-post': postId };
  return {
    'data-post': postId,
    draggable: true,
    'aria-keyshortcuts': 'Shift+ArrowLeft Shift+ArrowRight Shift+ArrowUp Shift+ArrowDown',
    onDragStart: ({ dataTransfer }: DragEvent) => {
      // Firefox drags nothing without data.
      dataTransfer?.setData('text/plain', post.content ?? postId);
      dragged.value = post;
    },
    onDragEnd: () => {
      dragged.value = undefined;
    },
  };
}

/** Returns the properties of a day. A post can be dropped on it, and keeps its time of the day. */
export function dropOn(day: string) {
  const mark = (event: DragEvent, isOver: boolean) => {
    (event.currentTarget as HTMLElement).classList.toggle('drop-day', isOver);
  };
  return {
    'data-date': day,
    onDragOver: (event: DragEvent) => {
      if (dragged.value === undefined) return;
      event.preventDefault();
      mark(event, true);
    },
    onDragLeave: (event: DragEvent) => {
      mark(event, false);
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      mark(event, false);
      const post = dragged.value;
      const time = post === undefined ? undefined : timeOf(post);
      if (post !== undefined && time !== undefined && dayOf(time) !== day) void move(post, onDay(time, day));
    },
  };
}

const hourMs = 3_600_000;

/** Returns the time to which a key moves a post, with Shift. */
function timeAfterKey(key: string, time: string): Date | undefined {
  const hours = { ArrowUp: -1, ArrowDown: 1 }[key];
  if (hours !== undefined) return new Date(instant(time).getTime() + hours * hourMs);
  const days = { ArrowLeft: -1, ArrowRight: 1 }[key];
  return days === undefined ? undefined : onDay(time, addDays(dayOf(time), days));
}

/** Moves the focused post by a day or an hour: Shift and an arrow key. */
export function movedByKey(event: KeyboardEvent): void {
  if (!event.shiftKey || event.ctrlKey || event.altKey || event.metaKey || !(event.target instanceof HTMLElement))
    return;
  const post = findPost(event.target.dataset['post'] ?? '');
  const time = post === undefined ? undefined : timeOf(post);
  if (post === undefined || time === undefined || !canReschedule(post)) return;
  const to = timeAfterKey(event.key, time);
  if (to === undefined) return;
  event.preventDefault();
  void move(post, to);
}

/** In the calendar, goes to the day of a post. The post receives the focus when its dialog closes. */
export function showInCalendar(post: Post): void {
  const time = timeOf(post);
  if (view.value !== 'calendar' || time === undefined || !shownPosts.value.includes(post)) return;
  postToFocus.value = post.postId;
}

/** Returns the reference of an element in which the focus goes to a moved or chosen post. */
export function useFocusOnPost() {
  const frame = useRef<HTMLDivElement>(null);
  const wanted = postToFocus.value;
  const all = posts.value;
  const isCovered = openDialog.value !== undefined;
  const day = chosenDay();
  useLayoutEffect(() => {
    if (wanted === undefined || isCovered) return;
    const time = timeOf(findPost(wanted) ?? { postId: wanted });
    if (time !== undefined && dayOf(time) !== day) {
      // The page shows its day first.
      chosen.value = dayOf(time);
      return;
    }
    const shown = [...(frame.current?.querySelectorAll<HTMLElement>(`[data-post="${CSS.escape(wanted)}"]`) ?? [])];
    // A month shows the post twice: in its day, and then in the list next to the calendar.
    const next = shown.find(({ tabIndex }) => tabIndex === 0) ?? shown.at(-1);
    next?.focus();
    // A filter may hide the post. It must not receive the focus when the filter changes.
    postToFocus.value = undefined;
  }, [wanted, all, isCovered, day]);
  useEffect(
    () => () => {
      postToFocus.value = undefined;
    },
    [],
  );
  return frame;
}
