import { BackToList } from '../../parts/BackToList.js';
import { Field, linesOf, listOf } from '../../parts/Field.js';
import type { FieldProblems } from '../../parts/field-problems.js';
import { backToList, showPanel } from '../../parts/focus.js';
import { Form } from '../../parts/Form.js';
import { AccountOptions } from '../../parts/Options.js';
import { Problem } from '../../parts/Problem.js';
import { instagramAccounts } from '../../state/accounts.js';
import { bound } from '../../state/choice.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { formatDateTime } from '../../state/time.js';
import { useRemoteOf } from '../../state/use-remote.js';
import { client } from '../../world/session.js';
import { account, automation, eligible, showCreated, watchedPost } from './automations.js';

/** @param isFirst whether no automation exists yet: then no list is behind the form */
export function AutomationForm({ isFirst }: { readonly isFirst: boolean }) {
  const chosen = account.chosen.value?.id;
  return (
    <section class="panel automation-form chosen-panel" aria-label="New automation">
      {!isFirst && <BackToList label="All automations" choice={automation.id} />}
      <h2 tabIndex={-1}>New automation</h2>
      <Form
        submit="Create"
        cancel={
          isFirst
            ? undefined
            : () => {
                backToList(automation.id);
              }
        }
        keep="automation"
        check={(fields) => problemsOf(chosen, fields)}
        onSubmit={(fields) => create(chosen ?? '', fields)}
      >
        <div class="form-row">
          <Field label="Account">
            <select name="account" {...bound(account.id, chosen)}>
              <AccountOptions accounts={instagramAccounts.value} />
            </select>
          </Field>
          <Field label="Name">
            <input name="name" />
          </Field>
        </div>
        <Trigger />
        <EligibleField />
        <div class="form-row">
          <Field label="Public replies" hint="One per line.">
            <textarea name="replies" rows={2} placeholder="Thanks, we sent you a message!" />
          </Field>
          <Field label="Direct message">
            <textarea name="message" rows={2} />
          </Field>
        </div>
      </Form>
    </section>
  );
}

function Trigger() {
  return (
    <div class="form-row">
      <Field label="Keywords" hint="Separated by commas.">
        <input name="keywords" placeholder="guide, recipe" required />
      </Field>
      <Field
        label="Match"
        hint="These are the emulator's rules. The API document names only exact, and does not define it."
      >
        <select name="match">
          <option value="exact">exact: the whole comment</option>
          <option value="contains">contains: a word of it</option>
        </select>
      </Field>
    </div>
  );
}

function EligibleField() {
  const posts = useRemoteOf(eligible, account.chosen.value?.id) ?? [];
  return (
    <>
      <Problem text={eligible.error.value} retry={() => void eligible.reload()} />
      <Field
        label="Post"
        hint="For a single post, extra fields are sent through extraBody. The API document does not show whether the service accepts them."
      >
        <select name="post" {...bound(watchedPost)}>
          <option value="">any post</option>
          {posts.map(({ id, caption, timestamp }) => (
            <option key={id} value={id}>
              {formatDateTime(timestamp)}: {(caption ?? id).slice(0, 50)}
            </option>
          ))}
        </select>
      </Field>
    </>
  );
}

function problemsOf(account: string | undefined, { replies, message }: Record<string, string>): FieldProblems {
  const isSilent = replies === undefined && message === undefined;
  return {
    ...(account === undefined ? { account: 'Connect an Instagram account first.' } : {}),
    ...(isSilent ? { replies: 'Write a public reply or a direct message. Without both, it answers nothing.' } : {}),
  };
}

async function create(id: string, fields: Record<string, string>): Promise<void> {
  const { name, keywords, replies, message, post, match } = fields;
  const created = await client().automations.create(
    {
      accountId: id,
      ...(name === undefined ? {} : { name }),
      ...(post === undefined ? { postScope: 'any' } : {}),
      keywords: listOf(keywords),
      publicReplies: linesOf(replies),
      ...(message === undefined ? {} : { dmMessage: message }),
    },
    {
      extraBody: {
        ...(post === undefined ? {} : { postScope: 'specific', platformPostId: post }),
        ...(match === 'contains' ? { matchMode: match } : {}),
      },
    },
  );
  watchedPost.value = '';
  await showCreated(created.id);
  changed('automation');
  notify(`${name ?? 'The automation'} is active. Next, write a comment with its keyword.`);
  showPanel('.automation-panel');
}
