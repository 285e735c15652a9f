/** The longest texts that platforms document. The API document states none (Limits), and the service may count differently. */
import type { KnownPlatform } from '../../model/known-values.js';

export interface TextLimit {
  readonly platform: KnownPlatform;
  readonly most: number;
  readonly unit: TextUnit;
  /** The text that the platform's limit is about. */
  readonly of: string;
  readonly source: string;
  /** The day on which the limit was compared with its source, with a stored copy, or with quotations of the source. */
  readonly checked: string;
}

/** A platform without a row has no limit in its documentation, or its documentation was not available. */
export const textLimits: readonly TextLimit[] = [
  {
    platform: 'twitter',
    most: 280,
    unit: 'weighted',
    of: 'a post',
    source: 'https://docs.x.com/resources/fundamentals/counting-characters',
    checked: '2026-11-26',
  },
  {
    // Known from quotations of the page, not from the page.
    platform: 'instagram',
    most: 2_200,
    unit: 'characters',
    of: 'a caption',
    source: 'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media',
    checked: '2026-11-26',
  },
  {
    // Known from quotations of the page, not from the page.
    platform: 'youtube',
    most: 5_000,
    unit: 'bytes',
    of: 'the description of a video',
    source: 'https://developers.google.com/youtube/v3/docs/videos',
    checked: '2026-11-26',
  },
  {
    // Known from quotations of the page, not from the page.
    platform: 'tiktok',
    most: 2_200,
    unit: 'utf16',
    of: 'the caption of a video',
    source: 'https://developers.tiktok.com/doc/content-posting-api-reference-direct-post',
    checked: '2026-11-26',
  },
  {
    platform: 'pinterest',
    most: 800,
    unit: 'characters',
    of: 'the description of a Pin',
    source: 'https://github.com/pinterest/api-description/blob/main/v5/openapi.yaml',
    checked: '2026-11-26',
  },
  {
    platform: 'bluesky',
    most: 300,
    unit: 'graphemes',
    of: 'a post',
    source: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
    checked: '2026-11-26',
  },
  {
    platform: 'threads',
    most: 500,
    unit: 'emoji_bytes',
    of: 'a post',
    source: 'https://developers.facebook.com/documentation/threads/posts',
    checked: '2026-11-26',
  },
];

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

export const textLength: Readonly<Record<TextUnit, (text: string) => number>> = {
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

/** Each unit as a message names it. */
export const unitNames: Readonly<Record<TextUnit, string>> = {
  characters: 'characters',
  graphemes: 'characters',
  utf16: 'UTF-16 code units',
  bytes: 'bytes in UTF-8',
  emoji_bytes: 'characters (an emoji counts as its bytes)',
  weighted: 'characters (weighted)',
};

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
