/**
 * Lints the prose of README.md, the guides, the decisions, and the messages and comments of the source: `npm run
 * lint:prose`. Only a word of the word table fails; other findings are warnings. With `-- --counts` it also prints the
 * numbers of words, findings and long sentences.
 */
import { readFileSync } from 'node:fs';
import { isAllowed, unusedEntries } from './allow-list.js';
import { lintComments } from './comments.js';
import { lintPage } from './lint-page.js';
import { lintMessages, readMessages } from './messages.js';
import { wordsOf } from './checks.js';
import { readPages } from './pages.js';

interface Counts {
  words: number;
  hits: number;
  long: number;
}

const problems: string[] = [];
const warnings: string[] = [];

const pages = readPages();
const ofPages: Counts = { words: 0, hits: 0, long: 0 };
for (const path of pages) {
  const text = readFileSync(path, 'utf8');
  const lines = text.split('\n');
  const { words, findings } = await lintPage(path, text);
  ofPages.words += words;
  for (const { rule, line, message } of findings) {
    add(ofPages, rule);
    if (!isAllowed(path, lines[line - 1] ?? '')) report(rule, `${path}:${String(line)}: ${message} (${rule})`);
  }
}

const messages = readMessages();
const ofMessages: Counts = { words: 0, hits: 0, long: 0 };
for (const { text } of messages) ofMessages.words += wordsOf(text).length;
for (const { message, rule, found, advice } of lintMessages(messages)) {
  add(ofMessages, rule);
  if (!isAllowed(message.file, message.text))
    report(rule, `src/${message.file}: ${found}: ${advice} (${rule}) in "${message.text}"`);
}

const comments = lintComments();
const ofComments: Counts = { words: comments.words, hits: 0, long: 0 };
for (const { file, line, rule, found, advice, sentence } of comments.findings) {
  add(ofComments, rule);
  if (!isAllowed(file, sentence))
    report(rule, `${file}:${String(line)}: ${found}: ${advice} (${rule}) in "${sentence}"`);
}

for (const { file, contains } of unusedEntries())
  problems.push(`scripts/prose/allow-list.ts: no finding needs "${contains}" of ${file} any more`);

if (process.argv.includes('--counts')) {
  print(`${String(pages.length)} pages`, ofPages);
  print(`${String(messages.length)} messages`, ofMessages);
  print('comments', ofComments);
}
for (const warning of warnings) console.warn(`warning: ${warning}`);
for (const problem of problems) console.error(problem);
console.log(
  `prose: ${String(pages.length)} pages, ${String(messages.length)} messages, ${String(comments.words)} words of comments, ` +
    `${String(problems.length)} problems, ${String(warnings.length)} warnings`,
);
process.exitCode = problems.length === 0 ? 0 : 1;

function report(rule: string, text: string): void {
  (rule === 'words' ? problems : warnings).push(text);
}

function add(counts: Counts, rule: string): void {
  if (rule === 'long-sentence') counts.long += 1;
  else counts.hits += 1;
}

function print(what: string, { words, hits, long }: Counts): void {
  console.log(`${what}: ${String(words)} words, ${String(hits)} hits, ${String(long)} sentences over 25 words`);
}
