import { effect, type ReadonlySignal } from '@preact/signals';

/** Returns a function that runs the task after a delay. Calls during the delay count as one. */
export function gathered(ms: number, task: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      task();
    }, ms);
  };
}

/** Repeats a task as long as a condition holds. */
export function repeatWhile(condition: ReadonlySignal<boolean>, ms: number, task: () => void): void {
  effect(() => {
    if (!condition.value) return undefined;
    const timer = setInterval(task, ms);
    return () => {
      clearInterval(timer);
    };
  });
}
