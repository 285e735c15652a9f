import { useRef, useState } from 'preact/hooks';
import { targetOf } from 'social-publishing';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { Form } from '../parts/Form.js';
import { changed } from '../state/live.js';
import { notify } from '../state/notices.js';
import { client } from '../world/session.js';
import { AccountChoice, targetsIn } from './AccountChoice.js';
import { useCopiedAccounts } from './copied-accounts.js';
import { useKnownPost } from './known-post.js';

/** Edits a scheduled post: its content and its targets. */
export function EditDialog({ postId, onClose }: { readonly postId: string; readonly onClose: () => void }) {
  const post = useKnownPost(postId);
  const copied = useCopiedAccounts(postId, post);
  const first = useRef<string | undefined>(undefined);
  first.current ??= post?.content;
  const [isTyped, setTyped] = useState(false);
  if (post === undefined || copied === undefined) return null;
  const { chosen, missing } = copied;
  return (
    <Dialog title="Edit the scheduled post" onClose={onClose} wide>
      <Form
        submit="Save"
        keep={`edit-${postId}`}
        onChanged={() => {
          setTyped(true);
        }}
        onSubmit={async ({ content = '' }, form) => {
          const platforms = targetsIn(form).map(targetOf);
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one documented way to edit a post
          await client().posts.updateScheduled(postId, { content, platforms });
          notify('The post was changed.');
          if (form.isConnected) onClose();
          changed('post');
        }}
      >
        <Field
          label="Content"
          hint="This works, but the service has deprecated the operation. The API document does not show the body of its replacement."
        >
          <textarea name="content" rows={5} defaultValue={post.content} autoFocus />
        </Field>
        {post.content !== first.current && isTyped && (
          <p class="warn" role="alert">
            The post has another text by now. If you save, your text replaces it.
          </p>
        )}
        {missing > 0 && (
          <p class="warn">
            {missing === 1 ? 'The account of 1 target is' : `The accounts of ${missing} targets are`} not known. Choose
            all accounts, because saving replaces the targets.
          </p>
        )}
        <AccountChoice chosen={chosen} />
      </Form>
    </Dialog>
  );
}
