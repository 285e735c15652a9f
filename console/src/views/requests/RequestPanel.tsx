import { BackToList } from '../../parts/BackToList.js';
import { Code, pretty } from '../../parts/Code.js';
import { CopyButton } from '../../parts/CopyButton.js';
import { PostLink } from '../../parts/PostLink.js';
import { openDialog } from '../../state/dialogs.js';
import { findPost } from '../../state/posts.js';
import { formatSeconds } from '../../state/time.js';
import { asCurl, asTypeScript, callHere } from './same-call.js';
import { choice, faultsOf, postOfRequest, type RequestRecord } from './requests.js';
import { StatusCode } from './StatusCode.js';

/** The copied calls do not contain the access key. */
const keyInEnvironment = {
  words: 'It reads the access key from SOCIAL_PUBLISHING_ACCESS_KEY.',
  action: {
    label: 'Connect a program',
    run: () => {
      openDialog.value = { kind: 'connection' };
    },
  },
} as const;

/** Shows one request, its reply, and how to repeat it. */
export function RequestPanel({ record }: { readonly record: RequestRecord }) {
  const { method, path, route, query, headers, body, at } = record;
  const operation = route ?? 'Not an operation of the API document';
  // Without parameters, the heading contains the whole operation.
  const facts = [operation === `${method} ${path}` ? undefined : operation, formatSeconds(at), faultsOf(record)].filter(
    (fact) => fact !== undefined,
  );
  const postId = postOfRequest(record);
  const excerpt = postId === undefined ? '' : (findPost(postId)?.content ?? '');
  const here = callHere(record);
  const [curl, typeScript] = [asCurl(here), asTypeScript(here)];
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
        <p class="post-excerpt">
          <PostLink postId={postId}>{excerpt === '' ? `Post ${postId}` : <bdi>{excerpt}</bdi>}</PostLink>
        </p>
      )}
      <div class="button-row">
        <CopyButton text={curl} label="curl" needs={keyInEnvironment}>
          Copy as curl
        </CopyButton>
        <CopyButton text={typeScript} label="TypeScript" needs={keyInEnvironment}>
          Copy as TypeScript
        </CopyButton>
      </div>
      <h3>Request</h3>
      {Object.keys(query).length > 0 && <Code label="Query" text={pretty(query)} />}
      {body !== undefined && <Code label="Request body" text={pretty(body)} />}
      <Code label="Request headers" text={pretty(masked(headers))} />
      <Reply record={record} />
      <h3>The same call</h3>
      <Code label="TypeScript" text={typeScript} />
      <Code label="curl" text={curl} />
    </section>
  );
}

function Reply({ record: { status, reply } }: { readonly record: RequestRecord }) {
  return (
    <>
      <h3>Reply</h3>
      {status === undefined && <p>No reply was sent.</p>}
      {reply !== undefined && (
        <>
          <Code label="Reply body" text={pretty(reply.body)} />
          <Code label="Reply headers" text={pretty(reply.headers)} />
        </>
      )}
    </>
  );
}

/** Hides every key, even the emulator's: users share screenshots of this page. */
function masked(headers: RequestRecord['headers']): RequestRecord['headers'] {
  return 'x-access-key' in headers ? { ...headers, 'x-access-key': '***' } : headers;
}
