import { isFinalStatus, type Post } from 'social-publishing';
import { accountTitle } from '../state/accounts.js';
import { clock, formatSecondsToday, stepClock, type NextEvent } from '../state/clock.js';
import { openDialog } from '../state/dialogs.js';
import { followAddress } from '../state/history.js';
import { nameOfEvent, shortNameOfEvent } from '../state/next-event.js';
import { dismiss, notify } from '../state/notices.js';
import { namesOfPlatforms } from '../state/platform-names.js';
import { findPost, targetsOf, titleOfPost } from '../state/posts.js';
import { linkTo } from '../state/route.js';
import { isNarrow } from '../state/screen.js';
import { formatSecondsAfter } from '../state/time.js';
import { eventKeyOf, postOf, resultOf, type Delivery } from '../views/webhooks/deliveries.js';
import { get } from '../world/workbench.js';
import { clockMoves } from './clock-moves.js';
import { countsOf, haveFailed, scheduledPosts, showPosts } from './due-posts.js';

/** The result of a step, and the place that shows it. */
interface StepResult {
  readonly text: () => string;
  readonly isBad: () => boolean;
  readonly open: () => void;
}

/** The notice of the latest step: a later one replaces it. */
let lastStep = 0;

/** Moves the clock to the next due event. A notice says what happened, and what is due next. */
export async function step(): Promise<void> {
  const done = clock.value?.next ?? undefined;
  const posts = done === undefined ? [] : dueWith(done);
  await stepClock();
  clockMoves.value += 1;
  dismiss(lastStep);
  if (done === undefined) return;
  const { text, isBad, open } = await resultOfStep(done, posts);
  lastStep = notify(
    // On a phone, the time is above the view, and the dialog of the clock shows the next event.
    () => (isNarrow.value ? text() : `${formatSecondsToday(done.at)}: ${text()} ${nextText(done)}`),
    () => (isBad() ? 'bad' : 'good'),
    { label: 'Show', run: open },
  );
}

/** The posts that are due at the time of an event: one step publishes all of them. */
function dueWith({ postId, at }: NextEvent): readonly string[] {
  if (postId === undefined) return [];
  const time = Date.parse(at);
  return scheduledPosts().flatMap((post) => (post.time === time ? [post.postId] : []));
}

function nextText(done: NextEvent): string {
  const next = clock.value?.next ?? undefined;
  if (next === undefined) return 'Nothing else is due.';
  const name = next.postId !== undefined && next.postId === done.postId ? shortNameOfEvent(next) : nameOfEvent(next);
  return `Next, ${formatSecondsAfter(next.at, done.at)}: ${name}.`;
}

async function resultOfStep({ kind, postId, accountId, at }: NextEvent, posts: readonly string[]): Promise<StepResult> {
  const fine = () => false;
  const goTo = (address: string) => () => {
    followAddress(address);
  };
  if (kind === 'deliver') return resultOfDelivery();
  if (posts.length > 1) return resultOfPosts(posts, Date.parse(at));
  if (postId !== undefined) return resultOfPost(postId);
  if (kind === 'expire' && accountId !== undefined)
    return {
      text: () => `The token of ${accountTitle(accountId)} expired.`,
      isBad: () => true,
      open: goTo(linkTo('accounts', { account: accountId })),
    };
  if (kind === 'answer')
    return { text: () => 'An automation answered.', isBad: fine, open: goTo(linkTo('automations', {})) };
  return { text: () => 'A step of the scenario happened.', isBad: fine, open: goTo(linkTo('requests', {})) };
}

/** The length of a post's content in a notice on a phone. */
const narrowLength = 24;

const shortTitle = (post: Pick<Post, 'content' | 'postId'>) =>
  isNarrow.value ? titleOfPost(post, narrowLength) : titleOfPost(post);

/** The most platforms that a notice names. */
const namedPlatforms = 2;

/** Names the platforms of failed targets; it counts many and, on a phone, several. */
function wordsOfFailed(platforms: readonly (string | undefined)[]): string {
  if (platforms.length === 0) return '';
  return platforms.length > (isNarrow.value ? 1 : namedPlatforms)
    ? ` ${platforms.length} targets failed.`
    : ` Failed: ${namesOfPlatforms(platforms)}.`;
}

function resultOfPosts(ids: readonly string[], time: number): StepResult {
  return {
    text: () => `${ids.length} posts: ${countsOf(ids)}.`,
    isBad: () => haveFailed(ids),
    open: () => {
      showPosts(ids, time);
    },
  };
}

/** The post may change again while the notice is shown. */
function resultOfPost(postId: string): StepResult {
  const failedPlatforms = () => {
    const post = findPost(postId);
    if (post === undefined || !isFinalStatus(post.status)) return [];
    return targetsOf(post).flatMap(({ state, platform }) => (state === 'failed' ? [platform] : []));
  };
  return {
    text: () => {
      const { status = 'unknown', ...post } = findPost(postId) ?? { postId };
      return `${shortTitle(post)} is ${status}.${wordsOfFailed(failedPlatforms())}`;
    },
    isBad: () => failedPlatforms().length > 0,
    open: () => {
      openDialog.value = { kind: 'post', postId };
    },
  };
}

const verdictOf = ({ ok }: Delivery) => (ok ? 'delivered' : 'not delivered');

/** The number of deliveries that one step may cause: to each subscription, about each post of the same time. */
const shownDeliveries = 50;

async function resultOfDelivery(): Promise<StepResult> {
  const { deliveries } = await get<{ readonly deliveries: readonly Delivery[] }>(`deliveries?limit=${shownDeliveries}`);
  const latest = deliveries.at(-1);
  if (latest === undefined) return { text: () => 'Nothing was delivered.', isBad: () => true, open: () => undefined };
  const all = deliveries.filter(({ at }) => at === latest.at);
  const failed = all.filter(({ ok }) => !ok);
  const shown = failed[0] ?? latest;
  return {
    text: () => (all.length > 1 ? `${all.length} deliveries: ${countsOfDeliveries(all)}.` : `${wordsOf(latest)}.`),
    isBad: () => failed.length > 0,
    open: () => {
      followAddress(linkTo('webhooks', { event: eventKeyOf(shown) }));
    },
  };
}

function wordsOf(delivery: Delivery): string {
  const post = postOf(delivery);
  const about = post === undefined ? '' : ` of ${shortTitle(post)}`;
  return `${delivery.eventType}${about}: ${isNarrow.value ? verdictOf(delivery) : resultOf(delivery)}`;
}

function countsOfDeliveries(all: readonly Delivery[]): string {
  const taken = all.filter(({ ok }) => ok).length;
  return [taken > 0 && `${taken} delivered`, taken < all.length && `${all.length - taken} not delivered`]
    .filter(Boolean)
    .join(', ');
}
