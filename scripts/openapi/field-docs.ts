import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import type { JsonSchema } from './json-schema.js';
import { plainText } from './plain-text.js';

const index = fileURLToPath(new URL('../../src/index.ts', import.meta.url));

/** Writes the docs of the public interfaces into the fields of JSON Schemas. Only the interfaces contain the docs. */
export class FieldDocs {
  readonly #checker: ts.TypeChecker;
  readonly #exports: ReadonlyMap<string, ts.Symbol>;
  readonly #rewrite: (text: string) => string;

  /** @param rewrite changes each doc. Default: for readers in any language */
  constructor(rewrite: (text: string) => string = plainText) {
    this.#rewrite = rewrite;
    const program = ts.createProgram([index], {
      module: ts.ModuleKind.NodeNext,
      target: ts.ScriptTarget.ES2022,
      strict: true,
      exactOptionalPropertyTypes: true,
    });
    this.#checker = program.getTypeChecker();
    const source = program.getSourceFile(index);
    const module = source && this.#checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${index} is no module`);
    this.#exports = new Map(this.#checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]));
  }

  /** Describes a schema and its fields with the docs of a type. A name without a type leaves the schema unchanged. */
  describe(schema: JsonSchema, typeName: string): JsonSchema {
    const found = this.#exports.get(typeName);
    if (found === undefined) return schema;
    const symbol = found.flags & ts.SymbolFlags.Alias ? this.#checker.getAliasedSymbol(found) : found;
    const described = this.#fields(schema, this.#checker.getDeclaredTypeOfSymbol(symbol));
    return { ...withDescription(this.#docOf(symbol)), ...described };
  }

  #fields(schema: JsonSchema, given: ts.Type): JsonSchema {
    const type = this.#checker.getNonNullableType(given);
    if (schema.items !== undefined) {
      const item = this.#checker.getIndexTypeOfType(type, ts.IndexKind.Number);
      return item === undefined ? schema : { ...schema, items: this.#fields(schema.items, item) };
    }
    const next = { ...schema };
    if (schema.properties !== undefined) {
      next.properties = Object.fromEntries(
        Object.entries(schema.properties).map(([name, field]) => {
          const property = this.#checker.getPropertyOfType(type, name);
          if (property === undefined) return [name, field];
          const inner = this.#fields(field, this.#checker.getTypeOfSymbol(property));
          return [name, { ...withDescription(this.#docOf(property)), ...inner }];
        }),
      );
    }
    const values = schema.additionalProperties;
    const valueType = this.#checker.getIndexTypeOfType(type, ts.IndexKind.String);
    if (typeof values === 'object' && valueType !== undefined)
      next.additionalProperties = this.#fields(values, valueType);
    return next;
  }

  #docOf(symbol: ts.Symbol): string {
    const text = ts.displayPartsToString(symbol.getDocumentationComment(this.#checker)).trim();
    // A field of several modes has lines for each mode. The modes that exclude it come last.
    const lines = [...new Set(text.split('\n'))];
    const [excluding, others] = [true, false].map((is) => lines.filter((line) => line.startsWith('Not with') === is));
    return this.#rewrite([...(others ?? []), ...(excluding ?? [])].join('\n'));
  }
}

const withDescription = (description: string): JsonSchema => (description === '' ? {} : { description });
