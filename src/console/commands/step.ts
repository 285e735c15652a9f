import { isFinalStatus, type Post } from 'social-publishing';
import { accountTitle } from '../state/accounts.js';
import { clock, formatSecondsToday, stepClock, type NextEvent } from '../state/clock.js';
import { openDialog } from '../state/dialogs.js';
import { followAddress } from '../state/history.js';
import { nameOfEvent, shortNameOfEvent } from '../state/next-event.js';
import { dismiss, notify } from '../state/notices.js';
import { platformName } from '../state/platform-names.js';
import { findPost, targetsOf, titleOfPost } from '../state/posts.js';
import { linkTo } from '../state/route.js';
import { isNarrow } from '../state/screen.js';
import { formatSecondsAfter } from '../state/time.js';
import { eventKeyOf, postOf, resultOf, type Delivery } from '../views/webhooks/deliveries.js';
import { get } from '../world/workbench.js';

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
  await stepClock();
  dismiss(lastStep);
  if (done === undefined) return;
  const { text, isBad, open } = await resultOfStep(done);
  lastStep = notify(
    // On a phone, the time is above the view, and the dialog of the clock shows the next event.
    () => (isNarrow.value ? text() : `${formatSecondsToday(done.at)}: ${text()} ${nextText(done)}`),
    () => (isBad() ? 'bad' : 'good'),
    { label: 'Show', run: open },
  );
}

function nextText(done: NextEvent): string {
  const next = clock.value?.next ?? undefined;
  if (next === undefined) return 'Nothing else is due.';
  const name = next.postId !== undefined && next.postId === done.postId ? shortNameOfEvent(next) : nameOfEvent(next);
  return `Next, ${formatSecondsAfter(next.at, done.at)}: ${name}.`;
}

async function resultOfStep({ kind, postId, accountId }: NextEvent): Promise<StepResult> {
  const fine = () => false;
  const goTo = (address: string) => () => {
    followAddress(address);
  };
  if (kind === 'deliver') return resultOfDelivery();
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

/** A notice names so many platforms. */
const namedPlatforms = 2;

/** Names the platforms of failed targets; it counts many and, on a phone, several. */
function wordsOfFailed(platforms: readonly string[]): string {
  if (platforms.length === 0) return '';
  return platforms.length > (isNarrow.value ? 1 : namedPlatforms)
    ? ` ${platforms.length} targets failed.`
    : ` Failed: ${platforms.join(', ')}.`;
}

/** The post may change again while the notice is shown. */
function resultOfPost(postId: string): StepResult {
  const failedNames = () => {
    const post = findPost(postId);
    if (post === undefined || !isFinalStatus(post.status)) return [];
    return targetsOf(post).flatMap(({ state, platform }) => (state === 'failed' ? [platformName(platform)] : []));
  };
  return {
    text: () => {
      const { status = 'unknown', ...post } = findPost(postId) ?? { postId };
      const failed = failedNames();
      return `${shortTitle(post)} is ${status}.${wordsOfFailed(failed)}`;
    },
    isBad: () => failedNames().length > 0,
    open: () => {
      openDialog.value = { kind: 'post', postId };
    },
  };
}

const verdictOf = ({ ok }: Delivery) => (ok ? 'delivered' : 'not delivered');

async function resultOfDelivery(): Promise<StepResult> {
  const { deliveries } = await get<{ readonly deliveries: readonly Delivery[] }>('deliveries?limit=1');
  const latest = deliveries.at(-1);
  if (latest === undefined) return { text: () => 'Nothing was delivered.', isBad: () => true, open: () => undefined };
  const post = postOf(latest);
  return {
    text: () => {
      const about = post === undefined ? '' : ` of ${shortTitle(post)}`;
      return `${latest.eventType}${about}: ${isNarrow.value ? verdictOf(latest) : resultOf(latest)}.`;
    },
    isBad: () => !latest.ok,
    open: () => {
      followAddress(linkTo('webhooks', { event: eventKeyOf(latest) }));
    },
  };
}
