import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { post } from '../../world/workbench.js';
import { conversation } from './conversations.js';

/** Begins a conversation as a customer. */
export function StartForm({ accountId }: { readonly accountId: string }) {
  return (
    <section class="panel">
      <h2>A customer writes</h2>
      <Form
        submit="Start conversation"
        onSubmit={async ({ name = '', text }, form) => {
          const username = name.toLowerCase().replaceAll(/\s+/g, '.');
          const from = { id: `instagram_${username}`, name };
          const come = await post<{ readonly conversationId: string }>('incoming/message', { accountId, text, from });
          conversation.id.value = come.conversationId;
          form.reset();
          notify(`The message of ${name} was added.`);
          changed('message');
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
