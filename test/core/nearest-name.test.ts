import { describe, expect, it } from 'vitest';
import { likelyName, nearestName } from '../../src/core/call/options.js';

const known = ['content', 'platforms', 'publishNow', 'scheduledFor', 'maxRetries', 'sort'];

describe('the nearest name', () => {
  it.each([
    ['contents', 'content'],
    ['cnotent', 'content'],
    ['publishnow', 'publishNow'],
    ['scheduleFor', 'scheduledFor'],
    ['maxRetry', 'maxRetries'],
    ['sotr', 'sort'],
  ])('of %s is %s', (name, nearest) => {
    expect(nearestName(name, known)).toBe(nearest);
  });

  it.each(['mediaItems', 'x', 'st', 'content'.repeat(9), ''])('of %s does not exist', (name) => {
    expect(nearestName(name, known)).toBeUndefined();
  });
});

describe('the likely name', () => {
  it.each([
    ['contents', 'content'],
    ['con', 'content'],
    ['publish', 'publishNow'],
    ['Schedule', 'scheduledFor'],
  ])('of %s is %s', (name, likely) => {
    expect(likelyName(name, known)).toBe(likely);
  });

  it.each(['mediaItems', 'co', '', 'tent'])('of %s does not exist', (name) => {
    expect(likelyName(name, known)).toBeUndefined();
  });
});
