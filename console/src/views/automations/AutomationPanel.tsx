import type { Automation, AutomationLog } from 'social-publishing';
import { BackToList } from '../../parts/BackToList.js';
import { Loading } from '../../parts/Loading.js';
import { onlyFailed } from '../../parts/OutcomeFilter.js';
import { PostLink } from '../../parts/PostLink.js';
import { Problem } from '../../parts/Problem.js';
import { StatusBadge } from '../../parts/Badges.js';
import { Table } from '../../parts/Table.js';
import { accountName } from '../../state/accounts.js';
import { postsByPlatformId } from '../../state/posts.js';
import { linkTo } from '../../state/route.js';
import { formatDateTime } from '../../state/time.js';
import { useRemoteOf } from '../../state/use-remote.js';
import { automation as chosenAutomation, logs, outcome } from './automations.js';

/** Shows one automation and its runs. */
export function AutomationPanel({ automation }: { readonly automation: Automation }) {
  const { id, name, accountId, status, trigger, actions } = automation;
  const all = useRemoteOf(logs, id);
  const runs = outcome.value === onlyFailed ? all?.filter((run) => run.status === 'failed') : all;
  return (
    <section class="panel automation-panel chosen-panel" aria-label={`Automation ${name ?? id}`}>
      <BackToList label="All automations" choice={chosenAutomation.id} />
      <h2 tabIndex={-1}>{name ?? id}</h2>
      <dl class="facts">
        <dt>Account</dt>
        <dd>{accountName(accountId)}</dd>
        <dt>Status</dt>
        <dd>{status ?? 'unknown'}</dd>
        <dt>Trigger</dt>
        <dd>
          {trigger?.matchMode ?? 'a match'}: {trigger?.keywords?.join(', ') ?? 'any comment'}
          {trigger?.platformPostId !== undefined && `, under ${trigger.platformPostId}`}
        </dd>
        <dt>Answers</dt>
        <dd>
          {actions?.publicReplies?.map((reply) => (
            <p key={reply} dir="auto">
              {reply}
            </p>
          )) ?? 'nothing in public'}
        </dd>
        <dt>Message</dt>
        <dd>{actions?.dmMessage ?? 'none'}</dd>
      </dl>
      <h3>{outcome.value === onlyFailed ? 'Failed runs' : 'Runs'}</h3>
      <Problem text={logs.error.value} retry={() => void logs.reload()} />
      {runs === undefined ? (
        <Loading error={logs.error.value} />
      ) : runs.length === 0 ? (
        <p class="hint">
          It has not run yet. Write a comment with its keyword under <a href={commentsOf(automation)}>Comments</a>.
        </p>
      ) : (
        <Runs runs={runs} accountId={accountId} />
      )}
      <p class="hint">
        The API has no operation that changes or removes an automation. A reset of the emulator removes all.
      </p>
    </section>
  );
}

/** Returns the address of the comments that can trigger an automation. */
function commentsOf({ accountId = '', trigger }: Automation): string {
  const place = trigger?.platformPostId;
  return linkTo('comments', { account: accountId, ...(place === undefined ? {} : { place }) });
}

function Runs({
  runs,
  accountId,
}: {
  readonly runs: readonly AutomationLog[];
  readonly accountId: string | undefined;
}) {
  return (
    <Table label="Runs" heads={['Comment', 'Result']}>
      {runs.map(
        ({ id, createdAt, commenterName, commentText, status, error, platformPostId, commentId, ...answers }) => (
          <tr key={id}>
            <td>
              <strong>
                <bdi>{commenterName}</bdi>
              </strong>{' '}
              <bdi>{commentText}</bdi>
              <p class="hint when">{formatDateTime(createdAt)}</p>
              <RunLinks platformPostId={platformPostId} accountId={accountId} commentId={commentId} />
            </td>
            <td>
              <StatusBadge status={status} />
              {error !== undefined && <p class="bad">{error}</p>}
              <p class="hint">Public reply: {answers.publicReplyStatus ?? 'none'}</p>
              <p class="hint">Message: {answers.privateReplySent === true ? 'sent' : 'not sent'}</p>
            </td>
          </tr>
        ),
      )}
    </Table>
  );
}

/** Links to the commented post, and to the comment of the run. Automations also watch posts that the service did not publish. */
function RunLinks({
  platformPostId,
  accountId = '',
  commentId = '',
}: {
  readonly platformPostId: string | undefined;
  readonly accountId: string | undefined;
  readonly commentId: string | undefined;
}) {
  const post = postsByPlatformId.value.get(platformPostId ?? '');
  if (post === undefined || platformPostId === undefined) return null;
  return (
    <p class="links">
      <PostLink postId={post.postId}>Post</PostLink>
      <a href={linkTo('comments', { account: accountId, place: platformPostId, comment: commentId })}>Comment</a>
    </p>
  );
}
