import { signal } from '@preact/signals';

/** Whether the tab of the page is visible. */
export const isVisible = signal(true);

const waiting = new Set<() => void>();

export function checkVisibility(): void {
  isVisible.value = !document.hidden;
  if (document.hidden) return;
  const tasks = [...waiting];
  waiting.clear();
  for (const task of tasks) task();
}

addEventListener('visibilitychange', checkVisibility);

/** Runs a task now or, in a hidden tab, when it is visible again. */
export function whenVisible(task: () => void): void {
  if (isVisible.value) task();
  else waiting.add(task);
}
