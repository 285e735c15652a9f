import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { automations } from '../../state/automations.js';
import { followAddress } from '../../state/history.js';
import { changed } from '../../state/live.js';
import { dismiss, notify } from '../../state/notices.js';
import { linkTo, setParams } from '../../state/route.js';
import { useRemote } from '../../state/use-remote.js';
import { post as send } from '../../world/workbench.js';
import type { CommentedPost } from './account-posts.js';

/** The notice of the latest comment. */
let latest = 0;

/** Writes a comment as a user of the platform. */
export function CommentForm({ post }: { readonly post: CommentedPost }) {
  return (
    <>
      <h3>Write as a follower</h3>
      <Keywords post={post} />
      <Form
        submit="Comment"
        label="Write as a follower"
        keep="comment"
        onSubmit={async ({ name = '', text = '' }, form) => {
          tellOfComment(post, await comment(post, name, text));
          form.reset();
          changed('comment', 'automation', 'message');
        }}
      >
        <div class="form-row">
          <Field label="Name">
            <input name="name" defaultValue="Kim" autocomplete="off" required />
          </Field>
          <Field label="Comment">
            <input name="text" autocomplete="off" required />
          </Field>
        </div>
      </Form>
    </>
  );
}

/** The keywords that trigger an automation under this post. */
function Keywords({ post: { account, platformPostId } }: { readonly post: CommentedPost }) {
  const all = useRemote(automations);
  if (all === undefined) return null;
  const here = all.filter(
    ({ accountId, status, trigger }) =>
      accountId === account.id &&
      status === 'active' &&
      (trigger?.platformPostId === undefined || trigger.platformPostId === platformPostId),
  );
  const keywords = new Set(here.flatMap(({ trigger }) => trigger?.keywords ?? []));
  if (keywords.size === 0) return <p class="hint">No automation answers comments on this post.</p>;
  return (
    <p class="hint">
      {keywords.size === 1 ? 'This keyword triggers' : 'These keywords trigger'}{' '}
      <a href="#/automations">an automation</a>: <strong>{[...keywords].join(', ')}</strong>
    </p>
  );
}

interface BegunRun {
  readonly automationId: string;
}

interface AddedComment {
  readonly comment: { readonly id: string };
  /** The runs of automations that it triggered. */
  readonly runs: readonly BegunRun[];
}

/** Adds an incoming comment. */
async function comment({ account, platformPostId }: CommentedPost, name: string, text: string) {
  return send<AddedComment>('incoming/comment', {
    accountId: account.id,
    postId: platformPostId,
    text,
    author: { id: `${account.platform ?? ''}_${name.toLowerCase()}`, name },
  });
}

/**
 * Shows the comment in the list, and says which automations it triggered, in place of what the page said of the comment
 * before.
 */
function tellOfComment({ platformPostId }: CommentedPost, { comment: { id }, runs }: AddedComment): void {
  setParams({ place: platformPostId, comment: id }, 'replace');
  dismiss(latest);
  const [first] = runs;
  if (first === undefined) {
    latest = notify('The comment was added. It triggered no automation.');
    return;
  }
  const what = runs.length === 1 ? 'an automation' : `${runs.length} automations`;
  const { automationId } = first;
  latest = notify(`The comment was added and triggered ${what}. The answer takes a second of the clock.`, 'good', {
    label: 'Show',
    run: () => {
      followAddress(linkTo('automations', { automation: automationId }));
    },
  });
}
