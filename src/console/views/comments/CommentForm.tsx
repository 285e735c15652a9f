import type { Comment } from 'social-publishing';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { notify } from '../../state/notices.js';
import { tellNews } from '../../state/news.js';
import { post as send } from '../../world/workbench.js';
import type { CommentedPost } from './commented-posts.js';
import { automationFor, playRun, replyOf } from './reaction.js';

/** Writes a comment as somebody on the platform would. */
export function CommentForm({ post, reload }: { readonly post: CommentedPost; readonly reload: () => Promise<void> }) {
  return (
    <section class="panel">
      <h2>Write as a follower</h2>
      <p class="hint">{post.content}</p>
      <Form
        submit="Comment"
        onSubmit={async ({ name = 'Kim', text }, form) => {
          if (text === undefined) throw new Error('Write something first.');
          notify(await comment(post, name, text));
          form.reset();
          tellNews('automation');
          tellNews('message');
          await reload();
        }}
      >
        <Field label="Name">
          <input name="name" placeholder="Kim" autocomplete="off" />
        </Field>
        <Field
          label="Comment"
          hint={
            <>
              A keyword of one of the <a href="#/automations">automations</a> sets it off. The emulator runs none by
              itself: this page plays the run.
            </>
          }
        >
          <textarea name="text" rows={3} />
        </Field>
      </Form>
    </section>
  );
}

/** Leaves a comment, and plays what it sets off. Tells what happened. */
async function comment(place: CommentedPost, name: string, text: string): Promise<string> {
  const { account, platformPostId } = place;
  const author = { id: `${account.platform ?? ''}_${name.toLowerCase()}`, name };
  const automation = await automationFor(place, text);
  const reply = automation === undefined ? undefined : replyOf(automation);
  const seeded = await send<Comment>('seed/comment', {
    accountId: account.id,
    postId: platformPostId,
    text,
    author,
    ...(reply === undefined
      ? {}
      : { replies: [{ text: reply, author: { id: account.platformUserId, name: account.displayName } }] }),
  });
  if (automation === undefined) return 'The comment is there. It set no automation off.';
  await playRun(automation, place, { id: seeded.id, text, author });
  return `The comment is there, and the automation ${automation.name ?? automation.id} has run.`;
}
