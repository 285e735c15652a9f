import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { notify } from '../../state/notices.js';
import { client } from '../../world/session.js';
import { subscriptions } from './deliveries.js';

const eventTypes = ['post.scheduled', 'post.published', 'post.partial', 'post.failed'] as const;

/** Subscribes a webhook. */
export function SubscribeForm() {
  return (
    <section class="panel">
      <h2>Subscribe a webhook</h2>
      <Form
        submit="Subscribe"
        onSubmit={async (fields, form) => {
          await subscribe(fields, new FormData(form).getAll('event'));
          form.reset();
        }}
      >
        <Field label="URL" hint="Where your receiver listens. Deliveries go over the network, signed.">
          <input name="url" type="url" placeholder="http://127.0.0.1:3000/webhooks" autocomplete="off" />
        </Field>
        <fieldset class="choices">
          <legend>Events</legend>
          {eventTypes.map((type) => (
            <label key={type} class="choice">
              <input type="checkbox" name="event" value={type} defaultChecked />
              {type}
            </label>
          ))}
        </fieldset>
        <Field label="Profile ID" hint="Only targets of this profile. Sent through extraBody.">
          <input name="profile" autocomplete="off" />
        </Field>
        <label class="choice">
          <input type="checkbox" name="onlyScheduled" />
          Final events of scheduled posts alone
        </label>
      </Form>
    </section>
  );
}

async function subscribe(fields: Record<string, string>, chosen: readonly FormDataEntryValue[]): Promise<void> {
  const { url, profile, onlyScheduled } = fields;
  if (url === undefined) throw new Error('Give the URL of your receiver.');
  const extraBody = {
    ...(profile === undefined ? {} : { profileId: profile }),
    ...(onlyScheduled === undefined ? {} : { onlyScheduledPosts: true }),
  };
  const { id } = await client().notifications.create(
    { channel: 'webhook', eventTypes: eventTypes.filter((type) => chosen.includes(type)), webhook: { url } },
    { extraBody },
  );
  notify(`Subscribed as ${id}. Its secret stands in the list.`);
  await subscriptions.reload();
}
