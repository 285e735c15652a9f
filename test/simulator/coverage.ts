/** Measures which lines of the package's sources the histories run, with V8's block coverage of the bundle. */
import { Session, type Profiler } from 'node:inspector/promises';
import { SourceMap } from 'node:module';

/** One file of `src`. */
export interface FileCoverage {
  readonly file: string;
  readonly lines: number;
  /** The numbers of the lines that no history ran. */
  readonly missed: readonly number[];
}

/** The name of the bundle in V8's reports. */
export const bundleName = 'simulator.bundle.js';

/**
 * Runs a task that loads and runs a bundle.
 * @param task returns the code of the bundle, which ends with its source map
 */
export async function measureCoverage(task: () => Promise<string>): Promise<FileCoverage[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    const code = await task();
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const script = result.find(({ url }) => url === bundleName);
    return filesOf(code, script?.functions ?? []);
  } finally {
    session.disconnect();
  }
}

function filesOf(code: string, functions: readonly Profiler.FunctionCoverage[]): FileCoverage[] {
  const isRun = runLines(code, functions);
  const map = sourceMapOf(code);
  const files = new Map<string, Map<number, boolean>>();
  for (const [index, { column, ran }] of isRun.entries()) {
    if (column < 0) continue;
    const entry = map.findEntry(index, column);
    if (!('originalSource' in entry)) continue;
    const file = /src\/.*$/.exec(entry.originalSource)?.[0];
    // A line that opens no statement is mapped to the one before.
    if (file === undefined || entry.generatedLine !== index) continue;
    const lines = files.get(file) ?? new Map<number, boolean>();
    files.set(file, lines);
    const line = entry.originalLine + 1;
    lines.set(line, (lines.get(line) ?? false) || ran);
  }
  return [...files]
    .map(([file, lines]) => ({
      file,
      lines: lines.size,
      missed: [...lines].flatMap(([line, ran]) => (ran ? [] : [line])).sort((a, b) => a - b),
    }))
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** For each line of the bundle: the column of its first character, and whether that was run. */
function runLines(code: string, functions: readonly Profiler.FunctionCoverage[]) {
  const counts = new Uint32Array(code.length);
  // The innermost range counts: V8 lists outer functions and outer blocks first.
  for (const { ranges } of [...functions].sort((a, b) => sizeOf(b) - sizeOf(a))) {
    for (const { startOffset, endOffset, count } of ranges) counts.fill(count, startOffset, endOffset);
  }
  let offset = 0;
  return code.split('\n').map((line) => {
    const column = line.search(/\S/);
    const ran = (counts[offset + Math.max(0, column)] ?? 0) > 0;
    offset += line.length + 1;
    return { column: /^\s*[)}\]]/.test(line) ? -1 : column, ran };
  });
}

function sizeOf({ ranges: [first] }: Profiler.FunctionCoverage): number {
  return (first?.endOffset ?? 0) - (first?.startOffset ?? 0);
}

function sourceMapOf(code: string): SourceMap {
  const encoded = code.slice(code.lastIndexOf('base64,') + 'base64,'.length).trim();
  // esbuild wrote it.
  return new SourceMap(
    JSON.parse(Buffer.from(encoded, 'base64').toString()) as ConstructorParameters<typeof SourceMap>[0],
  );
}
