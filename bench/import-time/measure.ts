import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A program to run in a fresh process. Its relative imports start two folders below the project. */
export interface Program {
  readonly name: string;
  readonly code: string;
  readonly extension: 'mjs' | 'cjs';
}

const empty: Program = { name: 'empty', code: '', extension: 'mjs' };

export interface ImportTimes {
  /** The whole time of a process that does nothing, in milliseconds. */
  readonly emptyMs: number;
  /** The time of each program over the empty one, in milliseconds. */
  readonly overMs: readonly number[];
}

const referenceMs = 45;

/** Limits hold on a machine that starts an empty process in 45 ms. On a slower or busier one, they grow in proportion. */
export function limitFactor({ emptyMs }: ImportTimes): number {
  return Math.max(1, emptyMs / referenceMs);
}

/**
 * Measures each program: the fastest of several fresh processes, interleaved. Other work of the machine can only slow a
 * process down.
 */
export function measureImports(programs: readonly Program[], rounds: number): ImportTimes {
  // Inside the project, so that programs find its packages.
  mkdirSync('.tmp', { recursive: true });
  const folder = mkdtempSync('.tmp/import-');
  try {
    const subjects = [empty, ...programs].map(({ code, extension }, index) => {
      const path = join(folder, `${String(index)}.${extension}`);
      writeFileSync(path, code);
      return { path, times: [] as number[] };
    });
    for (let round = 0; round < rounds; round += 1) {
      for (const { path, times } of subjects) {
        const start = performance.now();
        const { status, stderr } = spawnSync(process.execPath, [path], { encoding: 'utf8' });
        if (status !== 0) throw new Error(stderr);
        times.push(performance.now() - start);
      }
    }
    const [emptyMs = 0, ...rest] = subjects.map(({ times }) => Math.min(...times));
    return { emptyMs, overMs: rest.map((time) => time - emptyMs) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
