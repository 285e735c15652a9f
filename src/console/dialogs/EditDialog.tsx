import { targetOf } from 'social-publishing';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { Form } from '../parts/Form.js';
import { changed } from '../state/live.js';
import { notify } from '../state/notices.js';
import { findPost, targetsOf } from '../state/posts.js';
import { client } from '../world/session.js';
import { AccountChoice, targetsIn } from './AccountChoice.js';

/** Edits a scheduled post: its content and its targets. */
export function EditDialog({ postId, onClose }: { readonly postId: string; readonly onClose: () => void }) {
  const post = findPost(postId);
  if (post === undefined) return null;
  const chosen = new Set(targetsOf(post).flatMap(({ accountId }) => accountId ?? []));
  return (
    <Dialog title="Edit the scheduled post" onClose={onClose} wide>
      <Form
        submit="Save"
        onSubmit={async ({ content = '' }, form) => {
          const platforms = targetsIn(form).map(targetOf);
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one documented way to edit a post
          await client().posts.updateScheduled(postId, { content, platforms });
          notify('The post was changed.');
          form.closest('dialog')?.close();
          changed('post');
        }}
      >
        <Field
          label="Content"
          hint="The service deprecates this operation; the shape of its replacement is not documented."
        >
          <textarea name="content" rows={5} defaultValue={post.content} autoFocus />
        </Field>
        <AccountChoice chosen={chosen} />
      </Form>
    </Dialog>
  );
}
