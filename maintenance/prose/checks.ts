/** The checks of one sentence. A page's rules and the check of messages share them. */
import { wordTable } from './word-table.js';

const maxWords = 25;

export const ruleIds = ['words', 'inverted-opening', 'negation', 'modal', 'long-sentence'] as const;

export type RuleId = (typeof ruleIds)[number];

export interface Finding {
  readonly rule: RuleId;
  /** Its start in the sentence. */
  readonly index: number;
  readonly found: string;
  readonly advice: string;
}

export interface Sentence {
  readonly text: string;
  /** Its start in the surrounding text. */
  readonly index: number;
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });

/** Splits a text without line breaks into sentences. */
export function sentencesOf(text: string): readonly Sentence[] {
  return [...segmenter.segment(text.replace(/·/g, '.'))].map(({ segment, index }) => ({ text: segment, index }));
}

export const wordsOf = (text: string): readonly string[] =>
  text.split(/\s+/).filter((part) => /[\p{L}\p{N}]/u.test(part));

const participles =
  'Left|Given|Asked|Told|Taken|Seen|Made|Called|Written|Kept|Sent|Held|Used|Passed|Thrown|Stopped|Killed|Started';

/** Statements with an object or a relative clause as the subject. A question may begin so. */
const openings: readonly RegExp[] = [
  new RegExp(`^\\s*(?:${participles})\\b[^.:|]{0,40}?,`, 'g'),
  /^\s*(?:What|Whoever|Whatever|Who)\b(?![^?]*\?)/g,
  /^\s*(?:Of|For) what\b/g,
];

/** "There is no table" is plain English, "it is no table" is not. */
const negations: readonly RegExp[] = [
  /(?<!\bthere )\b(?:is|are|was|were|be) (?:no(?! longer\b)|none)\b/gi,
  /\bnone of it\b/gi,
];

const modals: readonly RegExp[] = [/\b(?:is|are|was|were) to be\b/gi, /\bcan(?:no|')t be\s*(?=[.,;:)]|$)/gi];

function matches(rule: RuleId, text: string, patterns: readonly RegExp[], advice: string): Finding[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ index, 0: found }) => ({ rule, index, found: found.trim(), advice })),
  );
}

/** Everything that one rule finds in a sentence. */
export function check(rule: RuleId, text: string): readonly Finding[] {
  switch (rule) {
    case 'words':
      return wordTable.flatMap(({ pattern, use }) => matches(rule, text, [pattern], `use: ${use}`));
    case 'inverted-opening':
      return matches(rule, text, openings, 'begin with the subject, or with "If you …"');
    case 'negation':
      return matches(rule, text, negations, 'write "isn\'t" or "is not a"');
    case 'modal':
      return matches(rule, text, modals, 'write must, can, may or should');
    case 'long-sentence': {
      const count = wordsOf(text).length;
      if (count <= maxWords) return [];
      return [
        { rule, index: 0, found: `${String(count)} words`, advice: `at most ${String(maxWords)}: make two sentences` },
      ];
    }
  }
}
