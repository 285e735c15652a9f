import { useEffect, useRef, useState } from 'preact/hooks';
import type { Conversation, Integration } from 'social-publishing';
import { BackToList } from '../../parts/BackToList.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { Loading } from '../../parts/Loading.js';
import { Problem } from '../../parts/Problem.js';
import { nameOf } from '../../state/accounts.js';
import { changed } from '../../state/live.js';
import { announce } from '../../state/notices.js';
import { isStacked } from '../../state/screen.js';
import { formatDateTime } from '../../state/time.js';
import { useRemoteOf } from '../../state/use-remote.js';
import { client } from '../../world/session.js';
import { post } from '../../world/workbench.js';
import { conversation as chosenConversation, inbox, messages } from './conversations.js';
import { partnerOf } from './partner.js';

interface Props {
  readonly account: Integration;
  readonly conversation: Conversation;
}

/** On a narrow page, the form for an answer is below the messages. */
const [wideMessages, narrowMessages, moreMessages] = [50, 10, 50];

export function Thread({ account, conversation }: Props) {
  const [most, setMost] = useState(isStacked.peek() ? narrowMessages : wideMessages);
  const read = useRemoteOf(messages, conversation.id);
  const all = read ?? [];
  const selfId = inbox.value.value?.selfId;
  const partner = partnerOf(conversation, selfId);
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    // Only the list: `scrollIntoView` would also scroll the page to it.
    if (list.current !== null) list.current.scrollTop = list.current.scrollHeight;
  }, [all.length]);
  return (
    <section class="panel thread-panel chosen-panel" aria-label={`Conversation with ${partner.name}`}>
      <BackToList label="All conversations" choice={chosenConversation.id} />
      <h2 tabIndex={-1}>{partner.name}</h2>
      <Problem text={messages.error.value} retry={() => void messages.reload()} />
      {read === undefined && <Loading error={messages.error.value} />}
      <ul ref={list} role="list" class="bubbles" tabIndex={0} aria-label="Messages">
        {all.length > most && (
          <li class="bubbles-more">
            <button
              type="button"
              class="button button-small"
              onClick={() => {
                setMost(most + moreMessages);
              }}
            >
              Show earlier messages
            </button>
          </li>
        )}
        {all.slice(-most).map(({ id, from, text, timestamp }) => (
          <li key={id} class={from?.id === selfId ? 'bubble bubble-own' : 'bubble'}>
            <p dir="auto">{text}</p>
            <p class="hint">
              {from?.name ?? from?.id} · {formatDateTime(timestamp)}
            </p>
          </li>
        ))}
      </ul>
      <Reply account={account} conversation={conversation} partner={partner} />
    </section>
  );
}

function Reply({
  account,
  conversation,
  partner,
}: Props & { readonly partner: { readonly id: string | undefined; readonly name: string } }) {
  const [side, setSide] = useState<'account' | 'customer'>('account');
  const send = async (text: string) => {
    if (side === 'customer')
      await post('incoming/message', { accountId: account.id, conversationId: conversation.id, text });
    else if (partner.id === undefined) throw new Error('The conversation does not name the other participant.');
    else await client().messages.send({ platform: 'instagram', accountId: account.id, recipientId: partner.id, text });
  };
  return (
    <Form
      submit="Send"
      label="Write a message"
      keep="message"
      onSubmit={async ({ text = '' }, form) => {
        await send(text);
        form.reset();
        form.querySelector<HTMLInputElement>('[name="text"]')?.focus();
        announce('The message was sent.');
        changed('message');
      }}
    >
      <div class="form-row">
        <Field label="Write as">
          <select
            value={side}
            onChange={({ currentTarget }) => {
              setSide(currentTarget.value === 'customer' ? 'customer' : 'account');
            }}
          >
            <option value="account">{nameOf(account)} (account)</option>
            <option value="customer">{partner.name} (customer)</option>
          </select>
        </Field>
        <Field label="Text">
          <input name="text" autocomplete="off" required />
        </Field>
      </div>
    </Form>
  );
}
