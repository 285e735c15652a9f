import { fork, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The processes of a run. All of them can end at once, as on a machine without power. */
export class Processes {
  readonly #env: Readonly<Record<string, string>>;
  readonly #alive = new Set<ChildProcess>();

  /** @param env more variables of their environment */
  constructor(env: Readonly<Record<string, string>> = {}) {
    this.#env = env;
  }

  start(program: string, task: object): ChildProcess {
    const child = fork(program, [JSON.stringify(task)], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      env: { ...process.env, ...this.#env },
    });
    this.#alive.add(child);
    child.on('exit', () => this.#alive.delete(child));
    return child;
  }

  /** Kills all processes (SIGKILL). When it returns, all have ended, and no code of this process has run meanwhile. */
  killAll(): void {
    for (const child of this.#alive) child.kill('SIGKILL');
    for (const { pid } of this.#alive)
      while (pid !== undefined && isRunning(pid)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
  }
}

/** Whether a process of Linux runs. One that has ended, and whose end nobody has read yet, does not. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}
