import { effect, type ReadonlySignal } from '@preact/signals';

/** Does something a moment after it is asked to: what is asked for meanwhile is one with it. */
export function gathered(ms: number, task: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  return () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      task();
    }, ms);
  };
}

/** Does something again and again as long as a condition holds. */
export function repeatWhile(condition: ReadonlySignal<boolean>, ms: number, task: () => void): void {
  effect(() => {
    if (!condition.value) return undefined;
    const timer = setInterval(task, ms);
    return () => {
      clearInterval(timer);
    };
  });
}
