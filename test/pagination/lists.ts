import { SocialPublishing, type ClientOptions } from '../../src/index.js';
import { recordingServer, type Answer } from '../support/recording-server.js';

/** A client of a server with scripted replies. */
export async function clientOf(answer: Answer, options: ClientOptions = {}) {
  const server = await recordingServer(answer);
  const client = new SocialPublishing({ baseUrl: server.url, accessKey: 'test-key', maxRetries: 0, ...options });
  const targets = () => server.requests.map(({ target }) => target);
  return { client, requests: server.requests, targets };
}

/** A service that holds `count` posts. */
export function postsOf(count: number): Answer {
  const posts = numbered(count).map((postId) => ({ postId }));
  return ({ target }) => {
    const query = new URL(target, 'http://x').searchParams;
    const offset = Number(query.get('offset') ?? 0);
    return { success: true, total: count, posts: posts.slice(offset, offset + Number(query.get('limit') ?? 20)) };
  };
}

/** A service that returns at most `most` of `count` posts per page, whatever the limit is. */
export function cappedPosts(count: number, most: number, more: object = {}): Answer {
  const posts = numbered(count).map((postId) => ({ postId }));
  return ({ target }) => ({ ...more, posts: posts.slice(offsetOf(target), offsetOf(target) + most) });
}

export const offsetOf = (target: string) => Number(new URL(target, 'http://x').searchParams.get('offset') ?? 0);

export const numbered = (count: number) => Array.from({ length: count }, (_, index) => `post_${String(index)}`);

export const ids = (posts: readonly { readonly postId?: string | undefined }[]) => posts.map(({ postId }) => postId);
