import { signal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Post } from 'social-publishing';
import { notifyError } from '../../state/notify-error.js';
import { findPost, posts, timeOf } from '../../state/posts.js';
import { canReschedule, movedPost, reschedule } from '../../state/reschedule.js';
import { addDays, dayOf, instant, onDay } from '../../state/time.js';
import { chosen } from './calendar.js';

/** The post that the mouse drags. */
const dragged = signal<Post | undefined>(undefined);

let isMoving = false;

async function move(post: Post, to: Date): Promise<void> {
  if (isMoving) return;
  isMoving = true;
  try {
    await reschedule(post, to);
    movedPost.value = post.postId;
    chosen.value = dayOf(to);
  } catch (error) {
    await notifyError(error);
  } finally {
    isMoving = false;
  }
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

/** Returns the properties of a day on which a post can be dropped. The post keeps its time of the day. */
export function dropOn(day: string) {
  const mark = (event: DragEvent, isOver: boolean) => {
    (event.currentTarget as HTMLElement).classList.toggle('drop-day', isOver);
  };
  return {
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

/** Returns the reference of an element in which the focus follows a moved post. */
export function useFocusOnMoved() {
  const frame = useRef<HTMLDivElement>(null);
  const wanted = movedPost.value;
  const all = posts.value;
  useLayoutEffect(() => {
    if (wanted === undefined) return;
    const shown = [...(frame.current?.querySelectorAll<HTMLElement>(`[data-post="${CSS.escape(wanted)}"]`) ?? [])];
    const next = shown.find(({ tabIndex }) => tabIndex === 0) ?? shown[0];
    if (next === undefined) return;
    next.focus();
    movedPost.value = undefined;
  }, [wanted, all]);
  return frame;
}
