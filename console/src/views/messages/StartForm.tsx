import { BackToList } from '../../parts/BackToList.js';
import { backToList, showPanel } from '../../parts/focus.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { setParams } from '../../state/route.js';
import { post } from '../../world/workbench.js';
import { conversation, inbox } from './conversations.js';

/** Begins a conversation as a customer. */
export function StartForm({ accountId, isFirst }: { readonly accountId: string; readonly isFirst: boolean }) {
  return (
    <section class="panel start-form chosen-panel" aria-label="New conversation">
      {!isFirst && <BackToList label="All conversations" choice={conversation.id} />}
      <h2 tabIndex={-1}>A customer writes</h2>
      <Form
        submit="Start conversation"
        cancel={
          isFirst
            ? undefined
            : () => {
                backToList(conversation.id);
              }
        }
        keep="conversation"
        onSubmit={async ({ name = '', text }, form) => {
          const username = name.toLowerCase().replaceAll(/\s+/g, '.');
          const from = { id: `instagram_${username}`, name };
          const come = await post<{ readonly conversationId: string }>('incoming/message', { accountId, text, from });
          form.reset();
          notify(`The message of ${name} was added.`);
          changed('message');
          await inbox.reload();
          // The Back button does not lead to the form again.
          setParams({ conversation: come.conversationId }, 'replace');
          showPanel('.thread-panel');
        }}
      >
        <Field label="Name">
          <input name="name" autocomplete="off" required />
        </Field>
        <Field label="Message">
          <input name="text" autocomplete="off" required />
        </Field>
      </Form>
    </section>
  );
}
