import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { bundleProgram } from '../support/bundle-program.js';

/**
 * Runs a program that kills itself (SIGKILL) at the step of its task. At `request`, it is killed here once its request
 * has arrived. Resolves once the process is dead.
 */
export async function dieIn(
  program: string,
  task: { readonly dieAt: string },
  hasArrived: () => boolean,
): Promise<void> {
  const child = fork(bundleProgram(program), [JSON.stringify(task)], {
    execArgv: ['--disable-warning=ExperimentalWarning'],
  });
  const dead = once(child, 'exit') as Promise<[number | null, string | null]>;
  if (task.dieAt === 'request') {
    while (!hasArrived()) await sleep(10);
    await sleep(50);
    child.kill('SIGKILL');
  }
  const [, signal] = await dead;
  expect(signal).toBe('SIGKILL');
}
