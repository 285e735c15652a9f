import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { EligiblePost } from 'social-publishing';
import { platformName } from '../../parts/Badges.js';
import { Field, listOf } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { accounts, nameOf } from '../../state/accounts.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { formatDateTime } from '../../state/time.js';
import { background, client } from '../../world/session.js';
import { chosenId } from './automations.js';

const accountId = signal('');
const eligible = signal<readonly EligiblePost[]>([]);

async function loadEligible(id: string): Promise<void> {
  // Other accounts have none: the operation is for Instagram.
  eligible.value =
    id === '' ? [] : await background().automations.listEligiblePosts({ accountId: id }).toArray({ maxItems: 50 });
}

/** Defines an automation. */
export function AutomationForm() {
  const candidates = (accounts.value.value ?? []).filter(({ platform }) => platform === 'instagram');
  const chosen = candidates.find(({ id }) => id === accountId.value)?.id ?? candidates[0]?.id ?? '';
  useEffect(() => {
    void loadEligible(chosen).catch(() => {
      eligible.value = [];
    });
  }, [chosen]);
  return (
    <section class="panel">
      <h2>New automation</h2>
      <Form submit="Create" onSubmit={(fields, form) => create(chosen, fields, form)}>
        <Field label="Account">
          <select
            value={chosen}
            onChange={({ currentTarget }) => {
              accountId.value = currentTarget.value;
            }}
          >
            {candidates.map((account) => (
              <option key={account.id} value={account.id}>
                {platformName(account.platform)} {nameOf(account)}
              </option>
            ))}
          </select>
        </Field>
        <Field label="Name">
          <input name="name" />
        </Field>
        <Field label="Keywords" hint="Separated by commas.">
          <input name="keywords" placeholder="guide, recipe" />
        </Field>
        <Field label="Match" hint="By the emulator's rules. The API document gives exact alone, and not what it means.">
          <select name="match">
            <option value="exact">exact: the whole comment</option>
            <option value="contains">contains: a word of it</option>
          </select>
        </Field>
        <EligibleField />
        <Field label="Public replies" hint="Separated by commas.">
          <input name="replies" placeholder="Sent you a message!" />
        </Field>
        <Field label="Direct message">
          <textarea name="message" rows={2} />
        </Field>
      </Form>
    </section>
  );
}

function EligibleField() {
  return (
    <Field
      label="Post"
      hint="One post alone goes through extraBody: the API document doesn't show whether it is taken."
    >
      <select name="post">
        <option value="">any post</option>
        {eligible.value.map(({ id, caption, timestamp }) => (
          <option key={id} value={id}>
            {formatDateTime(timestamp)}: {(caption ?? id).slice(0, 50)}
          </option>
        ))}
      </select>
    </Field>
  );
}

async function create(id: string, fields: Record<string, string>, form: HTMLFormElement): Promise<void> {
  const { name, keywords, replies, message, post, match } = fields;
  if (id === '') throw new Error('Connect an Instagram account first.');
  const automation = await client().automations.create(
    {
      accountId: id,
      ...(name === undefined ? {} : { name }),
      ...(post === undefined ? { postScope: 'any' } : {}),
      keywords: listOf(keywords),
      publicReplies: listOf(replies),
      ...(message === undefined ? {} : { dmMessage: message }),
    },
    {
      extraBody: {
        ...(post === undefined ? {} : { postScope: 'specific', platformPostId: post }),
        ...(match === 'contains' ? { matchMode: match } : {}),
      },
    },
  );
  form.reset();
  chosenId.value = automation.id;
  notify('The automation is active.');
  changed('automation');
}
