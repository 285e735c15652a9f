import { Session } from 'node:inspector/promises';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** vitest turns each export into a function that returns its value. Reading a constant of a file does not run the file. */
const exportGetter = /^\(\) ?=> ?\{ ?try ?\{ ?return /;

/** Returns the files of `src` with a function that ran during the task, by V8's precise coverage. */
export async function executedFiles(task: () => Promise<unknown>): Promise<string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Debugger.enable');
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    await task();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const executed: string[] = [];
    for (const { scriptId, url, functions } of result) {
      const path = relative(process.cwd(), url.startsWith('file:') ? fileURLToPath(url) : url);
      if (!path.startsWith('src/')) continue;
      const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
      const ran = functions.flatMap(({ ranges }) => ranges.filter(({ count }) => count > 0));
      if (ran.some(({ startOffset, endOffset }) => !exportGetter.test(scriptSource.slice(startOffset, endOffset))))
        executed.push(path);
    }
    return [...new Set(executed)].sort();
  } finally {
    session.disconnect();
  }
}
