import { isCommentPlatform, type Post } from 'social-publishing';
import { Loading } from '../../parts/Loading.js';
import { Verdict } from '../../parts/Badges.js';
import { Problem } from '../../parts/Problem.js';
import { accountTitle } from '../../state/accounts.js';
import { platformName } from '../../state/platform-names.js';
import { targetsOf } from '../../state/posts.js';
import { linkTo } from '../../state/route.js';
import { formatSeconds } from '../../state/time.js';
import { useRemoteOf } from '../../state/use-remote.js';
import type { RequestRecord } from '../requests/requests.js';
import {
  decisiveOf,
  eventsOf,
  latencyOf,
  resultOf,
  retriedAttempt,
  type Delivery,
  type EventDeliveries,
} from '../webhooks/deliveries.js';
import { RetryBadge } from '../webhooks/RetryBadge.js';
import { postTraffic } from './post-traffic.js';

/** The requests, deliveries and comments that belong to a post. */
export function PostTraffic({ post }: { readonly post: Post }) {
  const read = useRemoteOf(postTraffic, post.postId);
  const traffic = read?.postId === post.postId ? read : undefined;
  return (
    <>
      <Problem text={postTraffic.error.value} retry={() => void postTraffic.reload()} />
      <Comments post={post} />
      <h3>Requests</h3>
      {traffic === undefined ? <Loading /> : <Requests requests={traffic.requests} />}
      <h3>Webhook deliveries</h3>
      {traffic === undefined ? <Loading /> : <Deliveries deliveries={traffic.deliveries} />}
    </>
  );
}

function Comments({ post }: { readonly post: Post }) {
  const targets = targetsOf(post);
  const places = (post.platforms ?? []).flatMap(({ platform, platformPostId }, index) =>
    platformPostId !== undefined && isCommentPlatform(platform)
      ? [{ platform, platformPostId, account: targets[index]?.accountId ?? '' }]
      : [],
  );
  if (places.length === 0) return null;
  return (
    <p class="links">
      {places.map(({ platform, platformPostId, account }) => (
        <a key={platformPostId} href={linkTo('comments', { account, place: platformPostId })}>
          Comments on {account === '' ? platformName(platform) : accountTitle(account)}
        </a>
      ))}
    </p>
  );
}

function Requests({ requests }: { readonly requests: readonly RequestRecord[] }) {
  if (requests.length === 0) return <p class="hint">No request is stored for this post. A seeded post has none.</p>;
  return (
    <ul role="list" class="traffic">
      {requests.map(({ id, method, path, status, at }) => (
        <li key={id}>
          <a href={linkTo('requests', { request: id })}>
            {method} <code>{path}</code>
          </a>
          <Verdict ok={status !== undefined && status < 400}>{status ?? 'no reply'}</Verdict>
          <span class="hint">{formatSeconds(at)}</span>
        </li>
      ))}
    </ul>
  );
}

function Deliveries({ deliveries }: { readonly deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return <p class="hint">No webhook was sent about this post.</p>;
  return (
    <ul role="list" class="traffic">
      {eventsOf(deliveries.toReversed())
        .toReversed()
        .map((event) => (
          <EventItem key={event.key} event={event} />
        ))}
    </ul>
  );
}

/** An event for one subscription: the attempt that decides, and the number of attempts. */
function EventItem({ event }: { readonly event: EventDeliveries }) {
  const { key, first, attempts } = event;
  const decisive = decisiveOf(event);
  const retried = retriedAttempt(event);
  return (
    <li>
      <a href={linkTo('webhooks', { event: key })}>
        {first.eventType} to {first.url}
      </a>
      {retried === undefined ? (
        <Verdict ok={decisive.ok}>{resultOf(decisive)}</Verdict>
      ) : (
        <RetryBadge attempt={retried} />
      )}
      <span class="hint">
        {formatSeconds(decisive.at)}
        {decisive.latencyMs !== undefined && ` · ${latencyOf(decisive)}`}
        {attempts.length > 1 && ` · ${attempts.length} attempts`}
      </span>
    </li>
  );
}
