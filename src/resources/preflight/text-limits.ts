/** The longest texts that platforms document. The API document states none (Limits), and the service may count differently. */
import type { KnownPlatform } from '../../model/known-values.js';

export interface TextLimit {
  readonly most: number;
  readonly unit: keyof typeof textUnits;
  /** The text that the platform's limit is about. */
  readonly of: string;
  readonly source: string;
  /** The day on which the limit was compared with its source, with a stored copy, or with quotations of the source. */
  readonly checked: string;
}

/** A platform without a row has no limit in its documentation, or its documentation was not available. */
export const textLimits: Readonly<Partial<Record<KnownPlatform, TextLimit>>> = {
  twitter: {
    most: 280,
    unit: 'weighted',
    of: 'a post',
    source: 'https://docs.x.com/resources/fundamentals/counting-characters',
    checked: '2026-11-26',
  },
  // Known from quotations of the page, not from the page.
  instagram: {
    most: 2_200,
    unit: 'characters',
    of: 'a caption',
    source: 'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media',
    checked: '2026-11-26',
  },
  // Known from quotations of the page, not from the page.
  youtube: {
    most: 5_000,
    unit: 'bytes',
    of: 'the description of a video',
    source: 'https://developers.google.com/youtube/v3/docs/videos',
    checked: '2026-11-26',
  },
  // Known from quotations of the page, not from the page.
  tiktok: {
    most: 2_200,
    unit: 'utf16',
    of: 'the caption of a video',
    source: 'https://developers.tiktok.com/doc/content-posting-api-reference-direct-post',
    checked: '2026-11-26',
  },
  pinterest: {
    most: 800,
    unit: 'characters',
    of: 'the description of a Pin',
    source: 'https://github.com/pinterest/api-description/blob/main/v5/openapi.yaml',
    checked: '2026-11-26',
  },
  bluesky: {
    most: 300,
    unit: 'graphemes',
    of: 'a post',
    source: 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
    checked: '2026-11-26',
  },
  threads: {
    most: 500,
    unit: 'emoji_bytes',
    of: 'a post',
    source: 'https://developers.facebook.com/documentation/threads/posts',
    checked: '2026-11-26',
  },
};

const linkWeight = 23;
const links = /https?:\/\/\S+/giu;
/** The characters that X counts as 1. */
const light = /^[\u0000-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]$/u;
/** U+FE0F shows a character as an emoji. */
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;

/** How platforms count the characters of a text, and how a message names the result. */
export const textUnits = {
  /** Code points. */
  characters: { name: 'characters', lengthOf: codePoints },
  /** Characters as readers see them. An emoji of several code points counts 1. */
  graphemes: { name: 'characters', lengthOf: (text) => graphemesOf(text).length },
  utf16: { name: 'UTF-16 code units', lengthOf: (text) => text.length },
  bytes: { name: 'bytes in UTF-8', lengthOf: bytesOf },
  /** Code points, and the bytes of an emoji. */
  emoji_bytes: {
    name: 'characters (an emoji counts as its bytes)',
    lengthOf: (text) => sumOf(text, (part) => (emoji.test(part) ? bytesOf(part) : codePoints(part))),
  },
  /** As X documents it. An emoji, and a character outside some ranges, counts 2. A link counts 23. */
  weighted: {
    name: 'characters (weighted)',
    lengthOf: (text) =>
      sumOf(text.normalize('NFC').replace(links, 'x'.repeat(linkWeight)), (part) =>
        emoji.test(part) ? 2 : Array.from(part).reduce((sum, point) => sum + (light.test(point) ? 1 : 2), 0),
      ),
  },
} satisfies Readonly<Record<string, { readonly name: string; readonly lengthOf: (text: string) => number }>>;

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
