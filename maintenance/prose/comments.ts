import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { check, ruleIds, sentencesOf, wordsOf, type Finding } from './checks.js';

interface Comment {
  /** The line that it starts on. */
  readonly line: number;
  readonly parts: readonly string[];
}

export interface CommentFinding extends Finding {
  readonly file: string;
  readonly line: number;
  readonly sentence: string;
}

/** Lints the comments of `src`. */
export function lintComments(): { readonly words: number; readonly findings: readonly CommentFinding[] } {
  let words = 0;
  const findings: CommentFinding[] = [];
  for (const file of ['src', 'console/src'].flatMap(filesIn)) {
    for (const { line, parts } of commentsOf(file)) {
      words += wordsOf(parts.join(' ')).length;
      for (const { text } of parts.flatMap(sentencesOf)) {
        for (const rule of ruleIds)
          findings.push(...check(rule, text).map((found) => ({ ...found, file, line, sentence: text.trim() })));
      }
    }
  }
  return { words, findings };
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `${folder}/${name}`)
    .sort();

/** The comments of a file without their stars, code and tags. */
function commentsOf(file: string): readonly Comment[] {
  const text = readFileSync(file, 'utf8');
  const variant = file.endsWith('x') ? ts.LanguageVariant.JSX : ts.LanguageVariant.Standard;
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, variant, text);
  const comments: Comment[] = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind !== ts.SyntaxKind.MultiLineCommentTrivia && kind !== ts.SyntaxKind.SingleLineCommentTrivia) continue;
    const line = text.slice(0, scanner.getTokenStart()).split('\n').length;
    comments.push({ line, parts: partsOf(scanner.getTokenText()) });
  }
  return comments;
}

/** Returns the paragraphs, list items and tags of a comment, without code. */
const partsOf = (comment: string): readonly string[] =>
  comment
    .replace(/^\/\*+|\*+\/$|^\/\/+/g, '')
    .replace(/```[\s\S]*?```|@example[\s\S]*?(?=\n\s*\* @|$)/g, ' ')
    .replace(/\n\s*\*/g, '\n')
    .replace(/`[^`]*`|\{@link [^}]*\}/g, 'X')
    .split(/\n\s*\n|\n\s*-|(?:^|\s)@\w+/)
    .map((part) => part.replace(/\s+/g, ' '));
