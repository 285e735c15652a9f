import { computed } from '@preact/signals';
import type { Conversation, Message } from 'social-publishing';
import { instagramAccounts } from '../../state/accounts.js';
import { choiceOf, newItem, unknownId } from '../../state/choice.js';
import { remote } from '../../state/remote.js';
import { setParams, viewParam, type AddressValue } from '../../state/route.js';
import { instant } from '../../state/time.js';
import { background } from '../../world/session.js';

const accountInAddress = viewParam('messages', 'account');
const conversationId = viewParam('messages', 'conversation', 'push');

/** Another account has other conversations. The form for a new one stays. */
const accountId: AddressValue = {
  get value() {
    return accountInAddress.value;
  },
  set value(id) {
    setParams({ account: id, conversation: conversationId.value === newItem ? newItem : '' }, 'replace');
  },
};

export const account = choiceOf(instagramAccounts, ({ id }) => id, accountId);

interface Inbox {
  readonly accountId: string | undefined;
  readonly selfId: string | undefined;
  readonly conversations: readonly Conversation[];
}

const shownConversations = 300;

export const inbox = remote<Inbox>(async () => {
  const { value } = account.chosen;
  if (value === undefined) return { accountId: undefined, selfId: undefined, conversations: [] };
  const query = { platform: 'instagram' as const, accountId: value.id, limit: 100 };
  const first = await background().messages.listConversations(query);
  const conversations: Conversation[] = [];
  for await (const item of first) if (conversations.push(item) === shownConversations) break;
  return { accountId: value.id, selfId: first.response.selfId, conversations };
}, ['message', 'automation']);

/** Undefined until the conversations of the chosen account are read: a conversation of another account has no messages here. */
export const current = computed(() => {
  const { value } = inbox.value;
  return value?.accountId === account.chosen.value?.id ? value : undefined;
});

export const conversation = choiceOf(
  computed(() => current.value?.conversations ?? []),
  ({ id }) => id,
  conversationId,
);

export const unknownConversation = unknownId(
  computed(() => current.value?.conversations),
  ({ id }) => id,
  conversationId,
);

/** The messages of the conversation, the oldest first. */
export const messages = remote<readonly Message[]>(async () => {
  const of = account.chosen.value;
  const { value } = conversation.chosen;
  if (of === undefined || value === undefined) return [];
  const query = { platform: 'instagram' as const, accountId: of.id, limit: 100 };
  const all = await background().messages.list(value.id, query).toArray({ maxItems: 500 });
  // The service lists the latest first, also among messages of the same time.
  return all.toReversed().sort((a, b) => instant(a.timestamp ?? 0).getTime() - instant(b.timestamp ?? 0).getTime());
}, ['message', 'automation']);
