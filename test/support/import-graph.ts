import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import ts from 'typescript';

/** One import of a source file. */
export interface Import {
  /** The imported file relative to the root with `/`, or the package's name as written. */
  readonly target: string;
  /** False for `import type`, which leaves nothing behind at run time. */
  readonly runtime: boolean;
}

/** Every source file under a folder, relative to it, with what it imports. */
export type ImportGraph = ReadonlyMap<string, readonly Import[]>;

/** Reads the imports of every TypeScript file under a folder, dynamic ones and re-exports included. */
export function readImportGraph(root: string): ImportGraph {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  return new Map(
    files.map((file) => {
      const path = join(root, file);
      return [slashes(file), importsOf(path, readFileSync(path, 'utf8'), root)] as const;
    }),
  );
}

function importsOf(path: string, text: string, root: string): Import[] {
  const found: Import[] = [];
  const add = (specifier: string, runtime: boolean) => {
    const target = specifier.startsWith('.')
      ? slashes(relative(root, resolve(dirname(path), specifier))).replace(/\.js$/, '.ts')
      : specifier;
    found.push({ target, runtime });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, node.importClause?.phaseModifier !== ts.SyntaxKind.TypeKeyword);
    } else if (ts.isExportDeclaration(node) && node.moduleSpecifier && ts.isStringLiteral(node.moduleSpecifier)) {
      add(node.moduleSpecifier.text, !node.isTypeOnly);
    } else if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword) {
      const [specifier] = node.arguments;
      if (specifier && ts.isStringLiteralLike(specifier)) add(specifier.text, true);
    } else if (
      ts.isImportTypeNode(node) &&
      ts.isLiteralTypeNode(node.argument) &&
      ts.isStringLiteral(node.argument.literal)
    ) {
      add(node.argument.literal.text, false);
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return found;
}

const slashes = (path: string) => path.replaceAll('\\', '/');

/** All that loading a file loads in the end: files and packages, itself included. */
export function loadedBy(graph: ImportGraph, file: string): Set<string> {
  const seen = new Set([file]);
  for (const at of seen) {
    for (const { target, runtime } of graph.get(at) ?? []) if (runtime) seen.add(target);
  }
  return seen;
}

/** A chain of imports that comes back to where it began, or `undefined` where there is none. */
export function findCycle(graph: ImportGraph): string[] | undefined {
  const done = new Set<string>();
  const walk = (file: string, trail: readonly string[]): string[] | undefined => {
    const start = trail.indexOf(file);
    if (start !== -1) return [...trail.slice(start), file];
    if (done.has(file)) return undefined;
    for (const { target } of graph.get(file) ?? []) {
      const cycle = walk(target, [...trail, file]);
      if (cycle) return cycle;
    }
    done.add(file);
    return undefined;
  };
  for (const file of graph.keys()) {
    const cycle = walk(file, []);
    if (cycle) return cycle;
  }
  return undefined;
}
