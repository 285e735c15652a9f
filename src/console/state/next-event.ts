import { accountTitle } from './accounts.js';
import type { NextEvent } from './clock.js';
import { findPost } from './posts.js';

const shownLength = 40;

/** Returns the next due event by name: `publish “Free refills”`. */
export function nameOfEvent({ kind, postId, accountId, eventType }: NextEvent): string {
  switch (kind) {
    case 'publish':
      return `publish ${postName(postId)}`;
    case 'finish':
      return `finish publishing ${postName(postId)}`;
    case 'deliver':
      return `deliver ${eventType ?? 'an event'} of ${postName(postId)}`;
    case 'expire':
      return `the token of ${accountTitle(accountId)} expires`;
    case 'answer':
      return 'an automation answers';
    default:
      return 'a step of the scenario';
  }
}

function postName(postId: string | undefined): string {
  const content = findPost(postId ?? '')?.content ?? '';
  if (content === '') return postId ?? 'a post';
  return `“${content.length > shownLength ? `${content.slice(0, shownLength)}…` : content}”`;
}
