import type { Integration, Post } from 'social-publishing';
import { changeHealth, healthActions, type HealthAction } from '../state/account-health.js';
import { accounts, titleOf } from '../state/accounts.js';
import { openDialog } from '../state/dialogs.js';
import { followAddress } from '../state/history.js';
import { posts, timeOf } from '../state/posts.js';
import { canReschedule } from '../state/reschedule.js';
import { linkTo } from '../state/route.js';
import { formatDateTime } from '../state/time.js';
import { showInCalendar } from '../views/calendar/moving.js';
import {
  decisiveOf,
  deliverAgain,
  events,
  hostOf,
  postOf,
  resultOf,
  type EventDeliveries,
} from '../views/webhooks/deliveries.js';
import type { Command } from './command.js';

/** The number of found records of each kind. */
const shownRecords = 8;

const has = (text: string, words: readonly string[]) => words.every((word) => text.includes(word));

/** Returns whether a text contains every word. The words are in lower case. */
export const matches = (text: string, words: readonly string[]): boolean => has(text.toLowerCase(), words);

const healthLabels: Readonly<Record<HealthAction, string>> = {
  expire: 'Expire token of account',
  fail: 'Fail authorization of account',
  reconnect: 'Reconnect account',
};

const accountCommands = (account: Integration): readonly Command[] => [
  {
    id: account.id,
    label: `Show account ${titleOf(account)}`,
    hint: account.id,
    run: () => {
      followAddress(linkTo('accounts', { account: account.id }));
    },
  },
  ...healthActions(account).map((action) => ({
    id: `${action}-${account.id}`,
    label: `${healthLabels[action]} ${titleOf(account)}`,
    hint: account.id,
    ...(action === 'reconnect' ? {} : { confirm: `${healthLabels[action]} ${titleOf(account)}? Press Enter again` }),
    run: () => changeHealth(account, action),
  })),
];

function deliveryCommands(event: EventDeliveries): readonly Command[] {
  const { key, first } = event;
  const { content = '', postId = '' } = postOf(first) ?? {};
  const about = content === '' ? postId : content;
  const words = `${first.eventType} to ${hostOf(first.url)}${about === '' ? '' : `: ${about}`}`;
  const hint = resultOf(decisiveOf(event));
  const show = () => {
    followAddress(linkTo('webhooks', { event: key }));
  };
  return [
    { id: key, label: `Show delivery ${words}`, hint, run: show },
    {
      id: `again ${key}`,
      label: `Deliver again ${words}`,
      hint,
      run: () => {
        // The event shows the reply of the receiver.
        show();
        return deliverAgain(first, 1);
      },
    },
  ];
}

function postCommand(post: Post): Command {
  const { postId, content = '', status = 'unknown' } = post;
  return {
    id: postId,
    label: content === '' ? postId : content,
    hint: `${status}, ${formatDateTime(timeOf(post))}, ${postId}`,
    run: () => {
      showInCalendar(post);
      openDialog.value = { kind: 'post', postId };
    },
  };
}

/** Whether a word is the ID of a post, or its number. */
const isNamed = ({ postId }: Post, words: readonly string[]) =>
  words.some((word) => postId === word || postId.endsWith(`_${word}`));

/** Finds the posts that contain every word. A post whose ID is a word comes first, then posts that can be moved. */
function findPosts(words: readonly string[]): readonly Post[] {
  const named = posts.value.filter((post) => isNamed(post, words));
  const [movable, others]: [Post[], Post[]] = [[], []];
  for (const post of posts.value) {
    if (movable.length === shownRecords) break;
    if (named.includes(post) || !matches(`${post.content ?? ''} ${post.postId} ${post.status ?? ''}`, words)) continue;
    if (canReschedule(post)) movable.push(post);
    else if (others.length < shownRecords) others.push(post);
  }
  return [...named, ...movable, ...others].slice(0, shownRecords);
}

/** Finds accounts, deliveries and posts that contain every word. */
export function findRecords(words: readonly string[]): readonly Command[] {
  const found = (all: readonly Command[]) =>
    all.filter(({ label, hint = '' }) => matches(`${label} ${hint}`, words)).slice(0, shownRecords);
  return [
    ...findPosts(words).map(postCommand),
    ...found((accounts.value.value ?? []).flatMap(accountCommands)),
    ...found(events.value.flatMap(deliveryCommands)),
  ];
}
