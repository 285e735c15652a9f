import { readdirSync, readFileSync } from 'node:fs';
import ts from 'typescript';
import { check, ruleIds, sentencesOf, wordsOf } from './checks.js';

export interface Counts {
  words: number;
  hits: number;
  long: number;
}

/** Words and findings of the comments in `src`. The lint counts them, but does not judge them. */
export function countComments(): Counts {
  const counts: Counts = { words: 0, hits: 0, long: 0 };
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  for (const file of files) {
    for (const comment of commentsOf(file)) {
      counts.words += wordsOf(comment).length;
      for (const { text } of sentencesOf(comment)) addSentence(counts, text);
    }
  }
  return counts;
}

function addSentence(counts: Counts, text: string): void {
  for (const rule of ruleIds) {
    const found = check(rule, text).length;
    if (rule === 'long-sentence') counts.long += found;
    else counts.hits += found;
  }
}

/** The comments of a file without their stars, code and tags. Line comments on consecutive lines are one comment. */
function commentsOf(file: string): readonly string[] {
  const text = readFileSync(`src/${file}`, 'utf8');
  const variant = file.endsWith('x') ? ts.LanguageVariant.JSX : ts.LanguageVariant.Standard;
  const scanner = ts.createScanner(ts.ScriptTarget.Latest, false, variant, text);
  const comments: string[] = [];
  for (let kind = scanner.scan(); kind !== ts.SyntaxKind.EndOfFileToken; kind = scanner.scan()) {
    if (kind === ts.SyntaxKind.MultiLineCommentTrivia || kind === ts.SyntaxKind.SingleLineCommentTrivia)
      comments.push(plain(scanner.getTokenText()));
  }
  return comments;
}

const plain = (comment: string): string =>
  comment
    .replace(/^\/\*+|\*+\/$|^\/\/+/g, '')
    .replace(/```[\s\S]*?```|@example[\s\S]*?(?=\n\s*\* @|$)/g, ' ')
    .replace(/\n\s*\*/g, '\n')
    .replace(/@\w+/g, '.')
    .replace(/`[^`]*`|\{@link [^}]*\}/g, 'X')
    .replace(/\n\s*\n|\n\s*-/g, '. ')
    .replace(/\s+/g, ' ');
