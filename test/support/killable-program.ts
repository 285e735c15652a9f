import { onTestFinished } from 'vitest';
import type { ProgramWorld, Running } from './run-program.js';
import { temporaryFolder } from './temporary-folder.js';

/** A program that a test starts, kills (SIGKILL) and starts again, with the same arguments and files. */
export class KillableProgram {
  readonly folder = temporaryFolder('social-publishing-kills');
  kills = 0;
  readonly #world: ProgramWorld;
  readonly #name: string;
  #running: Running | undefined;

  constructor(world: ProgramWorld, name: string) {
    this.#world = world;
    this.#name = name;
    onTestFinished(async () => {
      this.#running?.child.kill('SIGKILL');
      await this.#running?.ended;
    });
  }

  /** Starts it. Its output before the last kill is in `out`. */
  start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Running {
    this.#running = this.#world.start(this.#name, args, env);
    return this.#running;
  }

  /** Kills it, and returns everything that it printed. */
  async kill(): Promise<string> {
    if (this.#running === undefined) throw new Error('It does not run.');
    this.#running.child.kill('SIGKILL');
    this.kills += 1;
    return (await this.#running.ended).out;
  }
}
