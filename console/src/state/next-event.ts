import { accountTitle } from './accounts.js';
import type { NextEvent } from './clock.js';
import { findPost, titleOfPost } from './posts.js';

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

/** Returns the next due event without the name of its post, for a text that has already named it. */
export function shortNameOfEvent(event: NextEvent): string {
  switch (event.kind) {
    case 'publish':
      return 'publish it';
    case 'finish':
      return 'finish publishing it';
    case 'deliver':
      return `deliver ${event.eventType ?? 'an event'}`;
    default:
      return nameOfEvent(event);
  }
}

function postName(postId: string | undefined): string {
  return postId === undefined ? 'a post' : titleOfPost(findPost(postId) ?? { postId });
}
