import { describe, expect, it } from 'vitest';
import { isStale, type WebhookEvent } from '../../src/webhooks/index.js';

const [early, late] = ['2025-01-02T03:04:05.000Z', '2025-01-02T03:04:05.001Z'];
const finalTypes = ['post.published', 'post.partial', 'post.failed'];

describe('isStale', () => {
  it('lets every first event through', () => {
    expect(isStale(undefined, { type: 'post.scheduled', createdAt: early })).toBe(false);
    expect(isStale(null, { type: 'post.failed' })).toBe(false);
  });

  it('goes by the time that the events were made', () => {
    expect(isStale({ type: 'post.scheduled', createdAt: late }, { type: 'post.scheduled', createdAt: early })).toBe(
      true,
    );
    expect(isStale({ type: 'post.failed', createdAt: late }, { type: 'post.published', createdAt: early })).toBe(true);
    expect(isStale({ type: 'post.scheduled', createdAt: early }, { type: 'post.published', createdAt: late })).toBe(
      false,
    );
  });

  it('goes by the time between final events, and where one is of another type', () => {
    expect(isStale({ type: 'post.failed', createdAt: early }, { type: 'post.published', createdAt: late })).toBe(false);
    expect(isStale({ type: 'post.new', createdAt: late }, { type: 'post.scheduled', createdAt: early })).toBe(true);
    expect(isStale({ type: 'post.new', createdAt: early }, { type: 'post.scheduled', createdAt: late })).toBe(false);
    expect(isStale({ type: 'post.scheduled', createdAt: late }, { type: 'post.new', createdAt: early })).toBe(true);
    expect(isStale({ type: 'post.failed', createdAt: late }, { type: 'post.new', createdAt: early })).toBe(true);
  });

  it.each(finalTypes)('never goes from %s back to post.scheduled, whatever the times', (type) => {
    expect(isStale({ type, createdAt: early }, { type: 'post.scheduled', createdAt: late })).toBe(true);
    expect(isStale({ type, createdAt: early }, { type: 'post.scheduled', createdAt: early })).toBe(true);
    expect(isStale({ type }, { type: 'post.scheduled' })).toBe(true);
  });

  it.each(finalTypes)('never drops %s after post.scheduled, whatever the times', (type) => {
    expect(isStale({ type: 'post.scheduled', createdAt: late }, { type, createdAt: early })).toBe(false);
  });

  it('lets a repeat through, so that a handler that was cut off is run to its end', () => {
    const event = { type: 'post.published', createdAt: early };
    expect(isStale(event, event)).toBe(false);
  });

  it('compares moments, not texts', () => {
    const inTokyo = '2025-01-02T12:04:05.000+09:00';
    expect(isStale({ type: 'post.failed', createdAt: inTokyo }, { type: 'post.failed', createdAt: late })).toBe(false);
    expect(isStale({ type: 'post.failed', createdAt: late }, { type: 'post.failed', createdAt: inTokyo })).toBe(true);
  });

  it('accepts a stored Date', () => {
    expect(isStale({ type: 'post.failed', createdAt: new Date(late) }, { type: 'post.failed', createdAt: early })).toBe(
      true,
    );
    expect(isStale({ type: 'post.failed', createdAt: late }, { type: 'post.failed', createdAt: new Date(early) })).toBe(
      true,
    );
    expect(isStale({ type: 'post.failed', createdAt: early }, { type: 'post.failed', createdAt: new Date(late) })).toBe(
      false,
    );
  });

  it.each([undefined, null, '', 'yesterday', new Date(Number.NaN)])('drops nothing for a time like %s', (createdAt) => {
    expect(isStale({ type: 'post.failed', createdAt: late }, { type: 'post.failed', createdAt })).toBe(false);
    expect(isStale({ type: 'post.failed', createdAt }, { type: 'post.failed', createdAt: early })).toBe(false);
  });

  it('takes events as they are', () => {
    const event: WebhookEvent = {
      known: true,
      id: 'e',
      type: 'post.failed',
      createdAt: early,
      data: { post: { id: 'p' }, platforms: [] },
    };
    expect(isStale(event, { ...event, type: 'post.scheduled' })).toBe(true);
  });
});
