import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { post as send } from '../../world/workbench.js';
import type { CommentedPost } from './account-posts.js';

/** Writes a comment as a user of the platform. */
export function CommentForm({ post }: { readonly post: CommentedPost }) {
  return (
    <>
      <h3>Write as a follower</h3>
      <p class="hint">
        A keyword of one of the <a href="#/automations">automations</a> triggers it. A run takes a second of the clock.
      </p>
      <Form
        submit="Comment"
        label="Write as a follower"
        keep="comment"
        onSubmit={async ({ name = 'Kim', text = '' }, form) => {
          notify(await comment(post, name, text));
          form.reset();
          changed('comment', 'automation', 'message');
        }}
      >
        <div class="form-row">
          <Field label="Name">
            <input name="name" placeholder="Kim" autocomplete="off" />
          </Field>
          <Field label="Comment">
            <input name="text" autocomplete="off" required />
          </Field>
        </div>
      </Form>
    </>
  );
}

/** Adds an incoming comment. Returns a text about the automations that it triggered. */
async function comment({ account, platformPostId }: CommentedPost, name: string, text: string): Promise<string> {
  const { runs } = await send<{ readonly runs: readonly object[] }>('incoming/comment', {
    accountId: account.id,
    postId: platformPostId,
    text,
    author: { id: `${account.platform ?? ''}_${name.toLowerCase()}`, name },
  });
  if (runs.length === 0) return 'The comment was added. It triggered no automation.';
  const what = runs.length === 1 ? 'an automation' : `${runs.length} automations`;
  return `The comment was added and triggered ${what}. The answer takes a second of the clock.`;
}
