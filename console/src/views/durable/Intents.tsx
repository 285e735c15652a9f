import { Fragment } from 'preact';
import { useState } from 'preact/hooks';
import { StatusBadge } from '../../parts/Badges.js';
import { ConfirmButton } from '../../parts/ConfirmButton.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { PostLink } from '../../parts/PostLink.js';
import { quantity } from '../../state/quantity.js';
import { linkTo } from '../../state/route.js';
import { formatSeconds } from '../../state/time.js';
import { useRemote } from '../../state/use-remote.js';
import { post } from '../../world/workbench.js';
import { intents, type IntentSearch, type ShownIntent } from './observed.js';
import { StatePanel } from './StatePanel.js';

/** The part of a text by which its requests are found. */
const searchedLength = 60;

/** The intents of the observed publisher. */
export function Intents() {
  const items = useRemote(intents)?.items ?? [];
  return (
    <StatePanel title="Intents" list={intents} total="intents" shown={items.length}>
      <ul class="observed" aria-label="Intents">
        {items.map((intent) => (
          <IntentItem key={intent.key} intent={intent} />
        ))}
      </ul>
    </StatePanel>
  );
}

function IntentItem({
  intent: { key, state, sendAt, postId, content, error, lookup, updatedAt, attempts },
}: {
  readonly intent: ShownIntent;
}) {
  return (
    <li class="observed-item">
      <StatusBadge status={state} />
      <div class="observed-text">
        <p class="post-text">
          <bdi>{typeof content === 'string' ? content : ''}</bdi>
        </p>
        <p>
          <code>{key}</code>
        </p>
        {error !== undefined && <p class="hint">{error}</p>}
        {lookup !== undefined && <SearchResult lookup={lookup} />}
        {state === 'ready' && <Changes id={key} content={typeof content === 'string' ? content : ''} />}
      </div>
      <p class="observed-facts">
        {postId !== undefined && <PostLink postId={postId}>{postId}</PostLink>}
        {attempts > 0 && typeof content === 'string' && content !== '' && (
          <a href={linkTo('requests', { q: content.slice(0, searchedLength) })}>Requests</a>
        )}
        {attempts !== 1 && <span class="hint">{quantity(attempts, 'send', 'sends')}</span>}
        {state === 'ready' && sendAt !== undefined && <span class="hint">sent at {formatSeconds(sendAt)}</span>}
        <span class="hint when">{formatSeconds(updatedAt)}</span>
      </p>
    </li>
  );
}

/** Cancels or edits an intent that waits. The publisher refuses what was sent meanwhile. */
function Changes({ id: key, content }: { readonly id: string; readonly content: string }) {
  const [isEditing, setEditing] = useState(false);
  if (isEditing)
    return (
      <Form
        submit="Save"
        label={`Edit ${key}`}
        cancel={() => {
          setEditing(false);
        }}
        onSubmit={async ({ text = '' }) => {
          await post('intents/edit', { key, content: text });
          setEditing(false);
          await intents.reload();
        }}
      >
        <Field label="Text">
          <textarea name="text" rows={3} defaultValue={content} />
        </Field>
      </Form>
    );
  return (
    <p class="button-row">
      <button
        type="button"
        class="button button-small"
        aria-label={`Edit ${key}`}
        onClick={() => {
          setEditing(true);
        }}
      >
        Edit
      </button>
      <ConfirmButton
        small
        label="Cancel"
        confirm="Cancel it?"
        name={`Cancel ${key}`}
        onPress={async () => {
          await post('intents/cancel', { key });
          await intents.reload();
        }}
      />
    </p>
  );
}

function SearchResult({ lookup: { result, postIds = [] } }: { readonly lookup: IntentSearch }) {
  if (result === 'failed') return <p class="hint">The last search for its post failed.</p>;
  if (postIds.length === 0) return <p class="hint">The last search found no equal post.</p>;
  return (
    <p class="hint">
      The last search found{' '}
      {postIds.map((postId, index) => (
        <Fragment key={postId}>
          {index > 0 && ', '}
          <PostLink postId={postId}>{postId}</PostLink>
        </Fragment>
      ))}
      , without proof.
    </p>
  );
}
