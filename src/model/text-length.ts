/**
 * How platforms count the characters of a text.
 *
 * - `characters`: code points.
 * - `graphemes`: characters as readers see them. An emoji of several code points counts 1.
 * - `utf16`: UTF-16 code units.
 * - `bytes`: bytes in UTF-8.
 * - `emoji_bytes`: code points, and the bytes of an emoji.
 * - `weighted`: as X documents it. An emoji, and a character outside some ranges, counts 2. A link counts 23.
 */
export type TextUnit = 'characters' | 'graphemes' | 'utf16' | 'bytes' | 'emoji_bytes' | 'weighted';

const linkWeight = 23;
const links = /https?:\/\/\S+/giu;
/** The characters that X counts as 1. */
const light = /^[\u0000-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]$/u;
/** U+FE0F shows a character as an emoji. */
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;

const counts: Readonly<Record<TextUnit, (text: string) => number>> = {
  characters: codePoints,
  graphemes: (text) => graphemesOf(text).length,
  utf16: (text) => text.length,
  bytes: bytesOf,
  emoji_bytes: (text) => sumOf(text, (part) => (emoji.test(part) ? bytesOf(part) : codePoints(part))),
  weighted: (text) =>
    sumOf(text.normalize('NFC').replace(links, 'x'.repeat(linkWeight)), (part) =>
      emoji.test(part) ? 2 : Array.from(part).reduce((sum, point) => sum + (light.test(point) ? 1 : 2), 0),
    ),
};

const names: Readonly<Record<TextUnit, string>> = {
  characters: 'characters',
  graphemes: 'characters',
  utf16: 'UTF-16 code units',
  bytes: 'bytes in UTF-8',
  emoji_bytes: 'characters (an emoji counts as its bytes)',
  weighted: 'characters (weighted)',
};

export function textLength(text: string, unit: TextUnit): number {
  return counts[unit](text);
}

export function nameOfUnit(unit: TextUnit): string {
  return names[unit];
}

function sumOf(text: string, lengthOf: (grapheme: string) => number): number {
  return graphemesOf(text).reduce((sum, part) => sum + lengthOf(part), 0);
}

function graphemesOf(text: string): string[] {
  // React Native has no Segmenter.
  const { Segmenter } = Intl as { readonly Segmenter?: typeof Intl.Segmenter };
  return Segmenter === undefined
    ? Array.from(text)
    : Array.from(new Segmenter().segment(text), ({ segment }) => segment);
}

function codePoints(text: string): number {
  return Array.from(text).length;
}

function bytesOf(text: string): number {
  return new TextEncoder().encode(text).length;
}
