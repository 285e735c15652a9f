import { useRef } from 'preact/hooks';
import { Empty } from '../../parts/Empty.js';
import { Field } from '../../parts/Field.js';
import { eitherClass, showPanelBelow } from '../../parts/focus.js';
import { AccountOptions } from '../../parts/Options.js';
import { Loading } from '../../parts/Loading.js';
import { Problem } from '../../parts/Problem.js';
import { RowList } from '../../parts/RowList.js';
import { View } from '../../parts/View.js';
import { accounts, instagramAccounts } from '../../state/accounts.js';
import { bound } from '../../state/choice.js';
import { isStacked } from '../../state/screen.js';
import { formatDateTime } from '../../state/time.js';
import { useRemoteOf } from '../../state/use-remote.js';
import { account, conversation, inbox, messages } from './conversations.js';
import { partnerOf } from './partner.js';
import { StartForm } from './StartForm.js';
import { Thread } from './Thread.js';

/** The number of conversations that a narrow page shows first. */
const narrowRows = 5;

export function MessagesView() {
  const read = useRemoteOf(inbox, account.chosen.value?.id);
  const all = read?.conversations ?? [];
  const isKnown = read !== undefined;
  // Once shown, the form stays and keeps its text while other messages are read.
  const hasForm = useRef(false);
  hasForm.current ||= isKnown && (all.length === 0 || messages.value.value !== undefined);
  return (
    <View
      title="Messages"
      about="Direct messages of Instagram accounts. Answer as the account, or write as the customer."
    >
      <Problem text={inbox.error.value} retry={() => void inbox.reload()} />
      {accounts.value.value === undefined ? (
        <Loading error={accounts.error.value} />
      ) : account.chosen.value === undefined ? (
        <Empty icon="messages" title="No Instagram account">
          <p>
            Only Instagram accounts have direct messages here. Connect one under <a href="#/accounts">Accounts</a>.
          </p>
        </Empty>
      ) : (
        <div class={`split split-three ${eitherClass(conversation.id.value, conversation.chosen.value?.id)}`}>
          <div class="stack">
            <AccountField />
            <nav class="panel" aria-label="Conversations">
              <h2>Conversations</h2>
              {!isKnown && <Loading error={inbox.error.value} />}
              {isKnown && all.length === 0 && (
                <p class="hint">No messages yet. Begin a conversation as a customer below.</p>
              )}
              <Conversations />
            </nav>
          </div>
          {conversation.chosen.value !== undefined && (
            <Thread account={account.chosen.value} conversation={conversation.chosen.value} />
          )}
          {hasForm.current && <StartForm accountId={account.chosen.value.id} />}
        </div>
      )}
    </View>
  );
}

function AccountField() {
  return (
    <Field label="Account">
      <select {...bound(account.id, account.chosen.value?.id)}>
        <AccountOptions accounts={instagramAccounts.value} />
      </select>
    </Field>
  );
}

function Conversations() {
  const { conversations = [], selfId } = inbox.value.value ?? {};
  return (
    <RowList
      label="Conversations, the latest first"
      // On a narrow page, the form is below the list.
      step={isStacked.value ? narrowRows : Infinity}
      items={conversations}
      keyOf={({ id }) => id}
      chosen={conversation.chosen.value?.id}
      row={(item, focus) => (
        <button
          type="button"
          class="row conversation-row"
          {...focus}
          aria-current={item.id === conversation.chosen.value?.id}
          onClick={() => {
            conversation.id.value = item.id;
            showPanelBelow('.thread-panel');
          }}
        >
          <strong>{partnerOf(item, selfId).name}</strong>
          <span class="hint">{formatDateTime(item.updatedTime)}</span>
          <span class="line">
            <bdi>{item.lastMessage?.text ?? 'no message yet'}</bdi>
          </span>
        </button>
      )}
    />
  );
}
