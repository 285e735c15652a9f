import { join } from 'node:path';
import ts from 'typescript';
import { app, entries, installed } from './app.js';

export interface Published {
  readonly checker: ts.TypeChecker;
  /** The exports of each entry by name, aliases resolved. */
  readonly exports: ReadonlyMap<string, ReadonlyMap<string, ts.Symbol>>;
}

/** Reads the declarations of the installed package as a strict project would. */
export function readPublished(): Published {
  const options: ts.CompilerOptions = {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    target: ts.ScriptTarget.ES2022,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    strict: true,
    exactOptionalPropertyTypes: true,
    skipLibCheck: true,
    noEmit: true,
    types: ['node'],
    typeRoots: [join(app, 'node_modules/@types')],
  };
  const resolved = entries.map((entry) => {
    const found = ts.resolveModuleName(
      entry,
      join(app, 'index.mts'),
      options,
      ts.sys,
      undefined,
      undefined,
      ts.ModuleKind.ESNext,
    );
    const file = found.resolvedModule?.resolvedFileName;
    if (file === undefined) throw new Error(`${entry} has no types`);
    return [entry, file] as const;
  });
  const program = ts.createProgram(
    resolved.map(([, file]) => file),
    options,
  );
  const checker = program.getTypeChecker();
  const exports = new Map(
    resolved.map(([entry, file]) => {
      const source = program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      if (module === undefined) throw new Error(`${file} is no module`);
      return [
        entry,
        new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, target(checker, symbol)])),
      ] as const;
    }),
  );
  return { checker, exports };
}

const target = (checker: ts.TypeChecker, symbol: ts.Symbol) =>
  symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;

/** A public name and what its docs say: an export, or `Type.member`. */
export interface Documented {
  readonly name: string;
  readonly doc: string;
}

/**
 * Every export and every member that can be reached from one, through any number of types of the package.
 * Members of zod's own types are not the package's to document.
 */
export function documentedNames({ checker, exports }: Published): Documented[] {
  const found = new Map<string, string>();
  const seen = new Set<ts.Symbol>();
  const exported = new Set([...exports.values()].flatMap((names) => [...names.values()]));
  const docOf = (symbol: ts.Symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim();
  const isOurs = (node: ts.Node) => node.getSourceFile().fileName.startsWith(installed);

  const visitSymbol = (symbol: ts.Symbol): void => {
    if (seen.has(symbol)) return;
    seen.add(symbol);
    const declarations = (symbol.declarations ?? []).filter(isOurs);
    if (declarations.length === 0) return;
    // A type without an export has no page; its members appear on the types that use it.
    if (exported.has(symbol)) found.set(symbol.name, docOf(symbol));
    for (const declaration of declarations) visitNode(declaration, symbol.name);
  };

  const visitNode = (node: ts.Node, owner: string): void => {
    if (isMember(node)) {
      const name = node.name;
      if (name === undefined || ts.isPrivateIdentifier(name) || isPrivate(node)) return;
      const symbol = checker.getSymbolAtLocation(name);
      const path = `${owner}.${name.getText()}`;
      if (symbol !== undefined) found.set(path, found.get(path) || docOf(symbol));
      ts.forEachChild(node, (child) => {
        visitNode(child, path);
      });
      return;
    }
    if (ts.isIdentifier(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      if (symbol === undefined || symbol.flags & ts.SymbolFlags.TypeParameter) return;
      if (symbol.flags & (ts.SymbolFlags.Type | ts.SymbolFlags.Alias)) visitSymbol(target(checker, symbol));
      return;
    }
    ts.forEachChild(node, (child) => {
      visitNode(child, owner);
    });
  };

  for (const [entry, names] of exports) {
    for (const [name, symbol] of names) {
      // The schemas are zod objects: their fields are documented on the interfaces of the same names.
      if (entry === 'social-publishing/schemas') found.set(name, docOf(symbol));
      else visitSymbol(symbol);
    }
  }
  return [...found].map(([name, doc]) => ({ name, doc })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function isMember(node: ts.Node): node is ts.ClassElement | ts.TypeElement {
  return (
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node) ||
    ts.isMethodSignature(node) ||
    ts.isMethodDeclaration(node) ||
    ts.isGetAccessorDeclaration(node) ||
    ts.isSetAccessorDeclaration(node)
  );
}

const isPrivate = (node: ts.Declaration) =>
  (ts.getCombinedModifierFlags(node) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0;
