import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { post as send } from '../../world/workbench.js';
import type { CommentedPost } from './commented-posts.js';

/** Writes a comment as a user of the platform. */
export function CommentForm({ post }: { readonly post: CommentedPost }) {
  return (
    <section class="panel">
      <h2>Write as a follower</h2>
      <p class="hint">{post.content}</p>
      <Form
        submit="Comment"
        onSubmit={async ({ name = 'Kim', text = '' }, form) => {
          notify(await comment(post, name, text));
          form.reset();
          changed('comment', 'automation', 'message');
        }}
      >
        <Field label="Name">
          <input name="name" placeholder="Kim" autocomplete="off" />
        </Field>
        <Field
          label="Comment"
          hint={
            <>
              A keyword of one of the <a href="#/automations">automations</a> triggers it. A run takes a second of the
              clock.
            </>
          }
        >
          <textarea name="text" rows={3} required />
        </Field>
      </Form>
    </section>
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
