import { useRef, useState } from 'preact/hooks';
import { targetOf } from 'social-publishing';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { Form } from '../parts/Form.js';
import { forgetFields, keptField } from '../state/kept-fields.js';
import { changed } from '../state/live.js';
import { notify } from '../state/notices.js';
import { client } from '../world/session.js';
import { AccountChoice, targetsIn } from './AccountChoice.js';
import { useCopiedAccounts } from './copied-accounts.js';
import { useKnownPost } from './known-post.js';

/** The name under which the page keeps the text that was not saved yet. */
const formOf = (postId: string) => `edit-${postId}`;

/** Edits a scheduled post: its content and its targets. */
export function EditDialog({ postId, onClose }: { readonly postId: string; readonly onClose: () => void }) {
  const post = useKnownPost(postId);
  const copied = useCopiedAccounts(postId, post);
  const field = useRef<HTMLTextAreaElement>(null);
  const other = useOtherText(postId, post?.content);
  if (post === undefined || copied === undefined) return null;
  const { chosen, missing } = copied;
  return (
    <Dialog title="Edit the scheduled post" onClose={onClose} wide>
      <Form
        submit="Save"
        keep={formOf(postId)}
        onChanged={other.setTyped}
        onSubmit={async ({ content: text = '' }, form) => {
          const platforms = targetsIn(form).map(targetOf);
          // eslint-disable-next-line @typescript-eslint/no-deprecated -- the one documented way to edit a post
          await client().posts.updateScheduled(postId, { content: text, platforms });
          notify('The post was changed.');
          if (form.isConnected) onClose();
          changed('post');
        }}
      >
        <Field
          label="Content"
          hint="This works, but the service has deprecated the operation. The API document does not show the body of its replacement."
        >
          <textarea ref={field} name="content" rows={5} defaultValue={post.content} autoFocus />
        </Field>
        <OtherText
          words={other.words}
          text={post.content}
          use={() => {
            other.forget();
            if (field.current === null) return;
            field.current.value = post.content ?? '';
            field.current.focus();
          }}
        />
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

interface OtherTextProps {
  readonly words: string | undefined;
  readonly text: string | undefined;
  readonly use: () => void;
}

/** Shows the text of the post if it is not the one in the form. */
function OtherText({ words, text, use }: OtherTextProps) {
  if (words === undefined) return null;
  return (
    <p class="warn" role="alert">
      {words} <q dir="auto">{text}</q>{' '}
      <button type="button" class="link" onClick={use}>
        Use that text
      </button>
    </p>
  );
}

/** Says how the text in the form differs from the text of the post, which may change while the form is open. */
function useOtherText(postId: string, present: string | undefined) {
  const form = formOf(postId);
  const first = useRef<string | undefined>(undefined);
  first.current ??= present;
  const [isTyped, setTyped] = useState(false);
  const [kept, setKept] = useState(() => keptField(form, 'content'));
  const isKept = kept !== undefined && kept !== present;
  return {
    words:
      present !== first.current && (isTyped || isKept)
        ? 'The post has another text by now. If you save, your text replaces it:'
        : isKept
          ? 'You wrote this before, and did not save it. The text of the post:'
          : undefined,
    setTyped: () => {
      setTyped(true);
    },
    /** Forgets the text that was typed. */
    forget: () => {
      first.current = present;
      setTyped(false);
      setKept(undefined);
      forgetFields(form);
    },
  };
}
