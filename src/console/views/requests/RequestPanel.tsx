import { Code, pretty } from '../../parts/Code.js';
import { PostLink } from '../../parts/PostLink.js';
import { findPost } from '../../state/posts.js';
import { formatSeconds } from '../../state/time.js';
import { asCurl, asTypeScript } from './same-call.js';
import { postOfRequest, type RequestRecord } from './requests.js';

/** Shows one request, its reply, and how to repeat it. */
export function RequestPanel({ record }: { readonly record: RequestRecord }) {
  const { method, path, route, query, headers, body, at, faults = [], status, reply } = record;
  const postId = postOfRequest(record);
  const excerpt = postId === undefined ? '' : (findPost(postId)?.content ?? '');
  return (
    <section class="panel request-panel" aria-label={`${method} ${path}`}>
      <h2 tabIndex={-1}>
        {method} <code>{path}</code>
      </h2>
      <p class="hint">
        {route ?? 'Not an operation of the API document'} · {formatSeconds(at)}
        {faults.length > 0 && ` · hit by ${faults.join(', ')}`}
      </p>
      {postId !== undefined && (
        <p>
          <PostLink postId={postId}>{excerpt === '' ? `Post ${postId}` : <bdi>{excerpt}</bdi>}</PostLink>
        </p>
      )}
      <h3>Request</h3>
      {Object.keys(query).length > 0 && <Code label="Query" text={pretty(query)} />}
      {body !== undefined && <Code label="Request body" text={pretty(body)} />}
      <Code label="Request headers" text={pretty(masked(headers))} />
      <h3>Reply</h3>
      <p>{status === undefined ? 'No reply was sent.' : `Status ${status}`}</p>
      {reply !== undefined && (
        <>
          <Code label="Reply body" text={pretty(reply.body)} />
          <Code label="Reply headers" text={pretty(reply.headers)} />
        </>
      )}
      <h3>The same call</h3>
      <Code label="TypeScript" text={asTypeScript(record)} />
      <Code label="curl" text={asCurl(record)} />
    </section>
  );
}

/** Hides every key, even the emulator's: users share screenshots of this page. */
function masked(headers: RequestRecord['headers']): RequestRecord['headers'] {
  return 'x-access-key' in headers ? { ...headers, 'x-access-key': '***' } : headers;
}
