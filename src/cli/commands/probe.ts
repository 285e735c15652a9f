import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { offsetOf } from '../../core/service-clock.js';
import { responseOf, type Post, type SocialPublishing } from '../../index.js';
import type { Intent } from '../../publisher/index.js';
import { connect } from '../connection.js';
import { quoted, storeOptions } from '../options.js';
import { withPublisher } from '../publisher.js';
import type { Session } from '../session.js';

/** One line of `doctor`. */
export interface HealthFinding {
  readonly check: string;
  readonly status: 'ok' | 'warning' | 'problem' | 'not checked';
  readonly message: string;
  /** How to fix it. */
  readonly fix?: string;
  /** The reason of a warning or a problem, for programs. Of an account: why it needs attention. */
  readonly code?: string;
  /** The ID of the account that has it. */
  readonly account?: string;
  /** The number of open intents of other services in the store. */
  readonly otherServices?: number;
  /** The number of open intents that are late. */
  readonly overdue?: number;
}

export const probeQuestion =
  'doctor --probe creates one draft, without time and accounts. It is free, and it stays: the API document shows no delete. ' +
  'A later run with the same store creates nothing.';

/** Creates a draft, and finds out which guarantees of the publisher hold on this service. */
export async function probeFindings(session: Session): Promise<HealthFinding[]> {
  // Another client does not know the draft, as a process that starts after a crash.
  const client = (await connect(session)).withOptions({ now: session.world.now });
  // Always the same for a service, so that a second run finds the draft of the first one.
  const key = `doctor-probe/${client.baseUrl}`;
  return withPublisher(session, { client: await connect(session) }, async ({ publisher }) => {
    const known = await publisher.get(key);
    const content = `Probe ${randomUUID()} of social-publishing doctor. You can delete this draft.`;
    const intent = await publisher.publish(key, known?.body ?? { content, saveAsDraft: true });
    const { postId, state, error } = intent;
    if (postId !== undefined) return [draftFinding(intent, postId), ...(await readDraft(client, intent, postId))];
    const message = `The draft was not created: ${state}${error === undefined ? '' : `: ${error.message}`}`;
    const fix = `Run: social-publishing intents show ${quoted(key)}${storeOptions(session)}`;
    return [{ check: 'probe', status: 'problem', message, fix }];
  });
}

function draftFinding({ replayed }: Intent, postId: string): HealthFinding {
  const origin = replayed ? 'The draft of an earlier run is used, and nothing was created' : 'One draft was created';
  return {
    check: 'probe',
    status: 'ok',
    message: `${origin}: ${postId}. It stays at the service. Nothing is deleted.`,
  };
}

async function readDraft(client: SocialPublishing, intent: Intent, postId: string): Promise<HealthFinding[]> {
  const { body, replayed } = intent;
  const sentAt = new Date(intent.createdAt);
  const first = await findDraft(client, sentAt, postId);
  const isListed = first.post !== undefined;
  const { status } = await client.posts.reconcile({ body, sentAt }, { waitMs: isListed ? 0 : listedWithinMs });
  const { post, hasDate } = isListed ? first : await findDraft(client, sentAt, postId);
  const difference = differenceOf(post, body);
  const isFound = status === 'created' && hasDate;
  return [
    line('rawRequestBody', difference === undefined, difference ?? 'It is equal to the request.'),
    line('Date', hasDate, hasDate ? 'Replies have a current Date.' : 'Replies have no current Date.'),
    replayed
      ? { check: 'listing', status: 'not checked', message: 'Only the run that creates the draft can measure it.' }
      : line('listing', isListed, isListed ? 'A new post is listed at once.' : lagOf(post)),
    await filterFinding(client, post),
    line(
      'guarantee: an uncertain send is found',
      isFound,
      isFound
        ? 'It holds: a search with the rules of the publisher found the draft.'
        : `It is weaker: a search cannot prove which post is it (${hasDate ? status : 'no Date'}). Each uncertain send stays in_doubt ` +
            'until you decide.',
    ),
    {
      check: "guarantee: onMissing 'resend' sends nothing twice",
      status: isListed ? 'not checked' : 'warning',
      message: isListed
        ? "A draft that is listed is not proof. The default, 'hold', does not depend on it."
        : 'It is weaker: a post may be listed late. Set settleMs far above that time.',
    },
  ];
}

function line(check: string, isOk: boolean, message: string): HealthFinding {
  return { check, status: isOk ? 'ok' : 'warning', message };
}

/** Returns the fields of `rawRequestBody` that differ from the request. `undefined`: none. */
function differenceOf(post: Post | undefined, body: Intent['body']): string | undefined {
  const kept = post?.rawRequestBody;
  if (kept === undefined) return 'It is missing.';
  const sent: Readonly<Record<string, unknown>> = { ...body };
  const names = Object.keys({ ...kept, ...sent }).filter((name) => !isDeepStrictEqual(kept[name], sent[name]));
  return names.length === 0 ? undefined : `It differs from the request: ${names.join(', ')}.`;
}

const listedWithinMs = 10_000;
const lagOf = (post: Post | undefined): string =>
  `A new post is not listed ${post === undefined ? `within ${listedWithinMs / 1_000} s` : 'at once'}.`;

const minute = 60_000;

/** Lists the drafts until it is there, at last without the filter by time, which may hide it. */
async function findDraft(client: SocialPublishing, sentAt: Date, postId: string) {
  let hasDate = false;
  for (const bounds of [{ createdAfter: new Date(Number(sentAt) - 10 * minute) }, {}])
    for await (const page of client.posts.list({ status: 'draft', limit: 100, ...bounds }).pages()) {
      hasDate ||= offsetOf(responseOf(page)?.headers, Number(sentAt)) !== undefined;
      const post = page.items.find((item) => item.postId === postId);
      if (post !== undefined) return { post, hasDate };
    }
  return { post: undefined, hasDate };
}

async function filterFinding(client: SocialPublishing, post: Post | undefined): Promise<HealthFinding> {
  const at = Date.parse(post?.createdAt ?? '');
  const check = 'filter by time';
  if (post === undefined || Number.isNaN(at))
    return { check, status: 'not checked', message: 'The list does not show when the draft was created.' };
  const isIn = async (bounds: { readonly createdAfter?: Date; readonly createdBefore?: Date }) => {
    const posts = await client.posts.list({ status: 'draft', limit: 100, ...bounds }).toArray();
    return posts.some(({ postId }) => postId === post.postId);
  };
  const [before, after] = [new Date(at - minute), new Date(at + minute)];
  if (!(await isIn({ createdAfter: before, createdBefore: after })))
    return line(check, false, 'A filter that includes the draft hides it, so a search does not find it.');
  const isIgnored = (await isIn({ createdAfter: after })) || (await isIn({ createdBefore: before }));
  return line(check, !isIgnored, isIgnored ? 'It is ignored: each search reads the whole list.' : 'It works.');
}
