import { describe, expect, it } from 'vitest';
import { CreateLog, SentCreate } from '../../src/posts/create-log.js';

/** How many posts a client remembers. */
const most = 10_000;

function logOf(posts: number): CreateLog {
  const log = new CreateLog();
  for (let post = 1; post <= posts; post += 1) log.answer(undefined, `post_${String(post)}`);
  return log;
}

describe('CreateLog', () => {
  it.each([1, 7])('remembers the newest 10,000 posts, in round %d', (rounds) => {
    const log = logOf(rounds * most + 1);
    const first = (rounds - 1) * most + 1;

    expect(log.ownerOf(`post_${String(first)}`)).toBeUndefined();
    expect(log.ownerOf(`post_${String(first + 1)}`)).toBe('other');
    expect(log.ownerOf(`post_${String(rounds * most + 1)}`)).toBe('other');
  });

  it('counts a post that is reported twice once', () => {
    const log = logOf(most);
    for (let times = 0; times < most; times += 1) log.answer(undefined, 'post_2');

    expect(log.ownerOf('post_1')).toBe('other');
    expect(log.ownerOf('post_2')).toBe('other');
  });

  it('assigns a post to one create only', () => {
    const log = logOf(0);
    const create = () => new SentCreate('{}', 0);
    const post = { postId: 'post_1' };

    expect(log.claim(create(), post as never)).toBe(true);
    expect(log.claim(create(), post as never)).toBe(false);
  });

  it('returns the same create for the same question, and forgets the oldest questions above 1,000', () => {
    const log = new CreateLog();
    const ask = (sentAt: number) =>
      log.ofQuestion(new SentCreate('{"content":"Hello"}', sentAt * 3_600_000), new Set());
    const first = ask(0);
    expect(ask(0)).toBe(first);
    for (let other = 1; other < 1_000; other += 1) ask(other);
    expect(ask(0)).toBe(first);
    // A found create is not among the creates in doubt, so only the memory of found creates can return it.
    log.claim(first, { postId: 'post_1' });
    for (let found = 1_001; found <= 2_001; found += 1) log.claim(ask(found), { postId: `post_${String(found)}` });
    expect(ask(0)).not.toBe(first);
  });

  it('takes a create of this client for one question only', () => {
    const log = new CreateLog();
    const sent = new SentCreate('{}', 0);
    log.send(sent);
    log.fail(sent, new Error('It was reset.'), 'unknown', 0);
    const ask = (sentAt: number) => log.ofQuestion(new SentCreate('{}', sentAt), new Set());
    expect(ask(1_000)).toBe(sent);
    expect(ask(2_000)).not.toBe(sent);
    expect(ask(1_000)).toBe(sent);
  });

  it('forgets the oldest creates in doubt above 1,000, but none in flight', () => {
    const log = new CreateLog();
    const inFlight = new SentCreate('{}', 0);
    log.send(inFlight);
    const failed = Array.from({ length: 1_002 }, (_, sentAt) => new SentCreate('{}', sentAt));
    for (const create of failed) {
      log.send(create);
      log.fail(create, new Error('It was reset.'), 'unknown', 0);
    }

    const kept = [...log.open];
    expect(kept).toHaveLength(1_000);
    expect(kept[0]).toBe(inFlight);
    expect(kept.slice(1)).toEqual(failed.slice(3));
  });
});
