/**
 * Fails if a type name of `src` has two meanings: two different declarations, or the name of a global type of browsers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

/** Names that may have several declarations, with the reason. */
const shared: Readonly<Record<string, string>> = {
  Props: 'each component of the console has its own, in a file of its own',
  RequestRecord: "the console reads the emulator's record as JSON",
  Delivery: "the console reads the emulator's record as JSON",
  FaultEntry: "the console reads the emulator's record as JSON",
};

/** Names of globals that may be declared, with the reason. */
const shadowing: Readonly<Record<string, string>> = {
  Comment: 'public since version 0.1',
  EventTarget: 'public since version 0.1',
  RequestInfo: 'public since version 0.1, and deprecated',
};

const declaration =
  /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class|enum) (\w+)(?! from)(?: = .*;$|[^;]*?^\})?/gm;

/** @param files the text of each file by its path */
export function ambiguousTypeNames(files: ReadonlyMap<string, string>, globals: ReadonlySet<string>): string[] {
  const declared = new Map<string, Map<string, string[]>>();
  for (const [path, code] of files) {
    for (const [text, name = ''] of code.matchAll(declaration)) {
      const texts = declared.get(name) ?? new Map<string, string[]>();
      declared.set(name, texts);
      // Two aliases of the same text mean the same.
      const meaning = text.includes(' = ') ? text.replace(/^export /, '') : path;
      texts.set(meaning, [...(texts.get(meaning) ?? []), path]);
    }
  }
  return [...declared].sort().flatMap(([name, texts]) => {
    const paths = [...texts.values()].flat();
    const problems: string[] = [];
    if (texts.size > 1 && !(name in shared)) problems.push(`${name} is declared differently in ${paths.join(', ')}`);
    if (globals.has(name) && !(name in shadowing))
      problems.push(`${name} in ${paths.join(', ')} is also a global type of browsers`);
    return problems;
  });
}

function main(): void {
  const files = new Map(
    readdirSync('src', { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => [`src/${file}`, readFileSync(`src/${file}`, 'utf8')]),
  );
  const dom = readFileSync('node_modules/typescript/lib/lib.dom.d.ts', 'utf8');
  const globals = new Set([...dom.matchAll(/^(?:interface|type|declare var) (\w+)/gm)].map(([, name = '']) => name));
  const problems = ambiguousTypeNames(files, globals);
  if (problems.length === 0) return;
  console.error(`Give each type a name of its own:\n${problems.join('\n')}`);
  process.exitCode = 1;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) main();
