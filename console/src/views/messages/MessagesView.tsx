import { useRef } from 'preact/hooks';
import type { Integration } from 'social-publishing';
import { Empty } from '../../parts/Empty.js';
import { Field } from '../../parts/Field.js';
import { eitherClass, showPanelBelow } from '../../parts/focus.js';
import { AccountOptions } from '../../parts/Options.js';
import { Loading } from '../../parts/Loading.js';
import { NewButton } from '../../parts/NewButton.js';
import { Problem } from '../../parts/Problem.js';
import { RowList } from '../../parts/RowList.js';
import { UnknownItem } from '../../parts/UnknownItem.js';
import { View } from '../../parts/View.js';
import { accounts, instagramAccounts } from '../../state/accounts.js';
import { bound, newItem } from '../../state/choice.js';
import { isStacked } from '../../state/screen.js';
import { formatDateTime } from '../../state/time.js';
import { useRemoteOf } from '../../state/use-remote.js';
import { account, conversation, current, inbox, unknownConversation } from './conversations.js';
import { partnerOf } from './partner.js';
import { StartForm } from './StartForm.js';
import { Thread } from './Thread.js';

/** The number of conversations that a narrow page shows first. */
const narrowRows = 5;

export function MessagesView() {
  const of = account.chosen.value;
  useRemoteOf(inbox, of?.id);
  const all = current.value?.conversations ?? [];
  return (
    <View
      title="Messages"
      about="Direct messages of Instagram accounts. Answer as the account, or write as the customer."
      actions={
        all.length > 0 ? <NewButton label="New conversation" choice={conversation.id} form=".start-form" /> : undefined
      }
    >
      <Problem text={inbox.error.value} retry={() => void inbox.reload()} />
      {accounts.value.value === undefined ? (
        <Loading error={accounts.error.value} />
      ) : of === undefined ? (
        <Empty icon="messages" title="No Instagram account">
          <p>
            Only Instagram accounts have direct messages here. Connect one under <a href="#/accounts">Accounts</a>.
          </p>
        </Empty>
      ) : (
        <ListAndItem key={of.id} account={of} />
      )}
    </View>
  );
}

/** The list, and beside it the chosen conversation or the form for a new one. */
function ListAndItem({ account: of }: { readonly account: Integration }) {
  const { id, chosen } = conversation;
  const known = current.value;
  const isEmpty = known?.conversations.length === 0;
  // The form keeps its text when the first conversation arrives.
  const isOpen = useRef(false);
  isOpen.current = isEmpty || (isOpen.current && id.value === '');
  const isNew = isOpen.current || id.value === newItem;
  const { value } = chosen;
  const unknown = isNew ? undefined : unknownConversation.value;
  const shown = isNew || unknown !== undefined ? undefined : value;
  return (
    <div class={`split split-thread ${isEmpty ? '' : eitherClass(id.value, isNew ? newItem : (unknown ?? value?.id))}`}>
      <div class="stack">
        <AccountField />
        <nav class="panel" aria-label="Conversations">
          <h2>Conversations</h2>
          {known === undefined && <Loading error={inbox.error.value} />}
          {isEmpty && <p class="hint">No messages yet. Start a conversation as a customer.</p>}
          <Conversations chosen={shown?.id} />
        </nav>
      </div>
      {isNew && <StartForm accountId={of.id} isFirst={isEmpty} />}
      {unknown !== undefined && (
        <UnknownItem kind="conversation of this account" id={unknown} choice={id} list="All conversations">
          It may have been removed.
        </UnknownItem>
      )}
      {shown !== undefined && <Thread account={of} conversation={shown} />}
    </div>
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

function Conversations({ chosen }: { readonly chosen: string | undefined }) {
  const { conversations = [], selfId } = inbox.value.value ?? {};
  return (
    <RowList
      label="Conversations, the latest first"
      step={isStacked.value ? narrowRows : Infinity}
      items={conversations}
      keyOf={({ id }) => id}
      chosen={chosen}
      row={(item, focus) => (
        <button
          type="button"
          class="row conversation-row"
          {...focus}
          aria-current={item.id === chosen}
          onClick={() => {
            conversation.id.value = item.id;
            showPanelBelow('.thread-panel');
          }}
        >
          <strong>{partnerOf(item, selfId).name}</strong>
          <span class="hint">{formatDateTime(item.updatedTime)}</span>
          <span class="line" dir="auto">
            {item.lastMessage?.text ?? 'no message yet'}
          </span>
        </button>
      )}
    />
  );
}
