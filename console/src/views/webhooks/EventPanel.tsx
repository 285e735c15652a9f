import { useEffect, useState } from 'preact/hooks';
import { Verdict } from '../../parts/Badges.js';
import { BackToList } from '../../parts/BackToList.js';
import { BusyButton } from '../../parts/Busy.js';
import { Code, pretty } from '../../parts/Code.js';
import { Icon } from '../../parts/Icon.js';
import { PostLink } from '../../parts/PostLink.js';
import { Table } from '../../parts/Table.js';
import { formatSeconds } from '../../state/time.js';
import {
  deliverAgain,
  latencyOf,
  postOf,
  resultOf,
  retriedAttempt,
  shownEvent,
  subscriptions,
  type Delivery,
  type EventDeliveries,
} from './deliveries.js';
import { judgeSignature } from './signature.js';

/** Shows one event for one subscription: attempts, payload, signature. */
export function EventPanel({ event }: { readonly event: EventDeliveries }) {
  const { first, attempts } = event;
  const retryAt = retriedAttempt(event)?.retryAt;
  const latest = attempts.at(-1) ?? first;
  const post = postOf(first);
  return (
    <section class="panel event-panel chosen-panel" aria-label={`Event ${first.eventId}`}>
      <BackToList label="All deliveries" choice={shownEvent.id} />
      <div class="panel-head">
        <h2 tabIndex={-1}>
          {first.eventType} <code>{first.eventId}</code>
        </h2>
        <div class="button-row">
          <BusyButton onPress={() => deliverAgain(first, 1)}>
            <Icon name="again" />
            Deliver again
          </BusyButton>
          <BusyButton onPress={() => deliverAgain(first, 2)}>
            <Icon name="copy" />
            Deliver twice
          </BusyButton>
        </div>
      </div>
      <p class="event-url">to {first.url}</p>
      <p class="hint">
        Both send the same event ID with a new signature. A correct receiver handles the event only once.
      </p>
      {post !== undefined && (
        <p class="post-excerpt event-post">
          <PostLink postId={post.postId}>{post.content === '' ? post.postId : <bdi>{post.content}</bdi>}</PostLink>
        </p>
      )}
      <h3>Attempts</h3>
      <Attempts attempts={attempts} />
      {retryAt !== undefined && <p class="hint">The next attempt is due at {formatSeconds(retryAt)}.</p>}
      <h3>Signature</h3>
      <Signature delivery={latest} />
      <Code label="Headers" text={pretty(latest.headers)} />
      <h3>Payload</h3>
      <Code label="Body" text={pretty(latest.body)} />
    </section>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly Delivery[] }) {
  return (
    <Table label="Attempts" heads={['Attempt', 'Result and reply']} numbers={['Latency']}>
      {attempts.map((delivery) => {
        const { id, attempt, replayOf, at, ok, status, error, reply } = delivery;
        return (
          <tr key={id}>
            <td>
              {replayOf === undefined ? `${attempt} of 3` : 'sent again'}
              <p class="hint">{formatSeconds(at)}</p>
            </td>
            <td>
              <div class={ok ? '' : 'bad'}>
                {resultOf(delivery)}
                {/* The error may repeat the status, or explain it. */}
                {status !== undefined && error !== undefined && error !== `status ${status}` && <p>{error}</p>}
              </div>
              {reply === undefined ? <p class="hint">no reply</p> : <ReplyText text={reply} />}
            </td>
            <td class="number">{latencyOf(delivery)}</td>
          </tr>
        );
      })}
    </Table>
  );
}

/** A longer reply is cut. */
const shownReply = 200;

function ReplyText({ text }: { readonly text: string }) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > shownReply;
  return (
    <>
      <code class="reply">{isLong && !isWhole ? `${text.slice(0, shownReply)}…` : text}</code>
      {isLong && (
        <button
          type="button"
          class="link"
          aria-expanded={isWhole}
          onClick={() => {
            setWhole(!isWhole);
          }}
        >
          {isWhole ? 'Show less' : 'Show the whole reply'}
        </button>
      )}
    </>
  );
}

/** Verifies the signature in the browser, as a receiver does. */
function Signature({ delivery }: { readonly delivery: Delivery }) {
  const secret = subscriptions.value.value?.find(({ id }) => id === delivery.subscriptionId)?.webhook?.secret;
  const [verdict, setVerdict] = useState<{ readonly ok: boolean; readonly words: string } | undefined>();
  useEffect(() => {
    let isShown = true;
    void judgeSignature(delivery, secret).then((judged) => {
      if (isShown) setVerdict(judged);
    });
    return () => {
      isShown = false;
    };
  }, [delivery, secret]);
  if (verdict === undefined) return null;
  return (
    <p>
      <Verdict ok={verdict.ok}>{verdict.words}</Verdict>
    </p>
  );
}
