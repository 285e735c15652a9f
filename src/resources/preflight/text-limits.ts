/** The longest texts that platforms document. The API document states none (Limits), and the service may count differently. */
import type { TextUnit } from '../../model/text-length.js';
import type { KnownPlatform } from '../../model/platforms.js';

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
