/** The texts in the source, with `…` for inserted values: the parts of messages. */
import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { root } from './docs-blocks.js';

/** A text of the source, and the class of the error that it is the message of, where it is one. */
export interface SourceText {
  readonly file: string;
  readonly text: string;
  readonly errorClass?: string | undefined;
}

/** Texts of all files but the emulator and what only tests load. */
export function readSourceTexts(): readonly SourceText[] {
  const files = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/^(?:emulator|stores\/testing)\//.test(file),
  );
  return files.flatMap((file) => textsOf(file, readFileSync(`${root}src/${file}`, 'utf8')));
}

function textsOf(file: string, code: string): SourceText[] {
  const found: SourceText[] = [];
  const visit = (node: ts.Node): void => {
    const text = isWhole(node) ? textOf(node) : undefined;
    if (text !== undefined) found.push({ file, text, errorClass: errorClassOf(node.parent) });
    if (text !== undefined && isAllowedValue(node)) found.push({ file, text: `… must be ${text}` });
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true), visit);
  return found;
}

/** No part of a longer text that is put together with `+`. */
function isWhole({ parent }: ts.Node): boolean {
  return !(ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.PlusToken);
}

function textOf(node: ts.Node): string | undefined {
  if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node))
    return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join('');
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined && right === undefined ? undefined : `${left ?? '…'}${right ?? '…'}`;
}

/** A text that an option check puts after "must be". */
function isAllowedValue({ parent }: ts.Node): boolean {
  const checks = ['optional', 'required', 'hasMethods', 'numberCheck'];
  return ts.isCallExpression(parent) && ts.isIdentifier(parent.expression) && checks.includes(parent.expression.text);
}

function errorClassOf(parent: ts.Node): string | undefined {
  const name = ts.isNewExpression(parent) && ts.isIdentifier(parent.expression) ? parent.expression.text : '';
  return name.endsWith('Error') ? name : undefined;
}
