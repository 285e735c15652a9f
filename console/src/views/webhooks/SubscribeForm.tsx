import { useState } from 'preact/hooks';
import { useChoicesProblem } from '../../parts/ChoicesProblem.js';
import { Field, listOf } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { eventTypes } from '../../state/event-types.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { client } from '../../world/session.js';

/** Subscribes a webhook or an email address. */
export function SubscribeForm() {
  const [channel, setChannel] = useState<'webhook' | 'email'>('webhook');
  return (
    <section class="panel">
      <h2>Subscribe</h2>
      <Form
        submit="Subscribe"
        check={(_, form) => (eventsIn(form).length === 0 ? { event: 'Choose at least one event.' } : {})}
        onSubmit={async (fields, form) => {
          await subscribe(fields, eventsIn(form));
          form.reset();
        }}
      >
        <Field label="Channel">
          <select
            value={channel}
            onChange={({ currentTarget }) => {
              setChannel(currentTarget.value === 'email' ? 'email' : 'webhook');
            }}
          >
            <option value="webhook">webhook</option>
            <option value="email">email</option>
          </select>
        </Field>
        {channel === 'webhook' ? (
          <Field label="URL" hint="The URL of your receiver. Deliveries go over the network, signed.">
            <input name="url" type="url" placeholder="http://127.0.0.1:3000/webhooks" autocomplete="off" required />
          </Field>
        ) : (
          <Field label="Recipients" hint="Separated by commas; sent through extraBody. The emulator sends no mail.">
            <input name="recipients" autocomplete="off" required />
          </Field>
        )}
        <Events />
        <Field
          label="Profile ID"
          hint="Payloads then name only targets of this profile. The API document does not show this request field: it is sent through extraBody."
        >
          <input name="profile" autocomplete="off" />
        </Field>
        <label class="choice">
          <input type="checkbox" name="onlyScheduled" />
          Only final events of scheduled posts
        </label>
      </Form>
    </section>
  );
}

function Events() {
  const problem = useChoicesProblem('event');
  return (
    <fieldset class="choices">
      <legend>Events</legend>
      {problem.shown}
      {eventTypes.map((type) => (
        <label key={type} class="choice">
          <input type="checkbox" name="event" value={type} defaultChecked {...problem.box} />
          {type}
        </label>
      ))}
    </fieldset>
  );
}

/** Returns the chosen events. */
function eventsIn(form: HTMLFormElement) {
  const chosen = new FormData(form).getAll('event');
  return eventTypes.filter((type) => chosen.includes(type));
}

async function subscribe(fields: Record<string, string>, events: ReturnType<typeof eventsIn>): Promise<void> {
  const { url, recipients, profile, onlyScheduled } = fields;
  const extras = {
    ...(profile === undefined ? {} : { profileId: profile }),
    ...(onlyScheduled === undefined ? {} : { onlyScheduledPosts: true }),
  };
  const { notifications } = client();
  const { id } =
    url === undefined
      ? await notifications.create(
          { channel: 'email', eventTypes: events },
          { extraBody: { ...extras, email: { recipients: listOf(recipients) } } },
        )
      : await notifications.create({ channel: 'webhook', eventTypes: events, webhook: { url } }, { extraBody: extras });
  notify(url === undefined ? `Subscribed as ${id}.` : `Subscribed as ${id}. Its secret is in the list.`);
  changed('subscription');
}
