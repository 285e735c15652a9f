import { BackToList } from '../../parts/BackToList.js';
import { Code, pretty } from '../../parts/Code.js';
import { PostLink } from '../../parts/PostLink.js';
import { findPost } from '../../state/posts.js';
import { formatSeconds } from '../../state/time.js';
import { asCurl, asTypeScript } from './same-call.js';
import { choice, faultsOf, postOfRequest, type RequestRecord } from './requests.js';
import { StatusCode } from './StatusCode.js';

/** Shows one request, its reply, and how to repeat it. */
export function RequestPanel({ record }: { readonly record: RequestRecord }) {
  const { method, path, route, query, headers, body, at, status, reply } = record;
  const operation = route ?? 'Not an operation of the API document';
  // Without parameters, the heading contains the whole operation.
  const facts = [operation === `${method} ${path}` ? undefined : operation, formatSeconds(at), faultsOf(record)].filter(
    (fact) => fact !== undefined,
  );
  const postId = postOfRequest(record);
  const excerpt = postId === undefined ? '' : (findPost(postId)?.content ?? '');
  return (
    <section class="panel request-panel chosen-panel" aria-label={`${method} ${path}`}>
      <BackToList label="All requests" choice={choice.id} />
      <div class="panel-head">
        <h2 tabIndex={-1}>
          {method} <code>{path}</code>
        </h2>
        <StatusCode record={record} />
      </div>
      <p class="hint">{facts.join(' · ')}</p>
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
      {status === undefined && <p>No reply was sent.</p>}
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
