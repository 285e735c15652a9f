import { effect, signal, untracked, type ReadonlySignal } from '@preact/signals';
import { isVisible, whenVisible } from './visibility.js';

/** Returns a function that runs the task after a delay. Calls during the delay count as one. A hidden tab waits longer. */
export function gathered(ms: number, task: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const run = () => {
    timer = undefined;
    task();
  };
  return () => {
    timer ??= setTimeout(whenVisible, ms, run);
  };
}

/**
 * Repeats a task as long as a condition holds. A hidden tab pauses, and catches up when it is visible again. Returns a
 * function that stops it.
 */
export function repeatWhile(condition: ReadonlySignal<boolean>, ms: number, task: () => void): () => void {
  let isLate = false;
  return effect(() => {
    if (!condition.value || !isVisible.value) {
      isLate = condition.value;
      return undefined;
    }
    if (isLate) untracked(task);
    const timer = setInterval(task, ms);
    return () => {
      clearInterval(timer);
    };
  });
}

const always = signal(true);

/** Repeats a task while the tab is visible. Returns a function that stops it. */
export const repeat = (ms: number, task: () => void): (() => void) => repeatWhile(always, ms, task);
