import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { InvalidRequestError, SocialPublishingError } from '../../src/core/errors.js';
import type { CreatePostResponse, Post } from '../../src/posts/posts.js';
import {
  PublishError,
  targetResults,
  type TargetInfo,
  type TargetResult,
  type TargetSource,
} from '../../src/model/targets.js';
import type { KnownWebhookEvent, UnknownWebhookEvent } from '../../src/model/events.js';

const url = 'https://b.example/1';
const time = '2025-01-02T03:04:04.000Z';

const post = (status: string | undefined, ...platforms: TargetInfo[]): TargetSource => ({
  postId: 'p',
  status,
  platforms,
});
const event = (type: string, ...platforms: TargetInfo[]): TargetSource => ({ known: true, type, data: { platforms } });
const stateIn = (source: TargetSource): string | undefined => targetResults(source).all[0]?.state;

describe('targetResults, on the reply to a create', () => {
  it.each<[string, TargetInfo, string | undefined, TargetResult['state']]>([
    // Published at once.
    ['a success with its address', { success: true, platformPostUrl: url }, 'published', 'published'],
    ['a success without address', { success: true }, 'published', 'published'],
    ['a success of a partial post', { success: true }, 'partial', 'published'],
    ['a refusal with its reason', { success: false, error: 'no' }, 'failed', 'failed'],
    ['a refusal without reason', { success: false }, 'failed', 'failed'],
    ['a refusal of a partial post', { success: false, error: 'no' }, 'partial', 'failed'],
    ['an address while others are published', { success: true, platformPostUrl: url }, 'publishing', 'published'],
    ['a success without address while it is published', { success: true }, 'publishing', 'pending'],
    ['a refusal while others are published', { success: false }, 'publishing', 'failed'],
    ['a refusal where no status is told', { success: false }, undefined, 'failed'],
    ['an address where no status is told', { success: true, platformPostUrl: url }, undefined, 'published'],
    ['a success where no status is told', { success: true }, undefined, 'pending'],
    ['a success under a new status', { success: true }, 'constructor', 'pending'],
    // Scheduled and drafts.
    ['a success of a scheduled post', { success: true }, 'scheduled', 'pending'],
    ['a success with an empty address', { success: true, platformPostUrl: '' }, 'scheduled', 'pending'],
    ['no success yet of a scheduled post', { success: false }, 'scheduled', 'pending'],
    ['a refusal of a scheduled post', { success: false, error: 'token expired' }, 'scheduled', 'failed'],
    ['a warning of a scheduled post', { success: true, warningMessage: 'will be cropped' }, 'scheduled', 'pending'],
    ['a target of a draft', {}, 'draft', 'pending'],
    ['a success of a draft', { success: true }, 'draft', 'pending'],
    ['a pending post', { success: true }, 'pending', 'pending'],
    // Contradictions.
    ['a success with an error', { success: true, error: 'no' }, 'partial', 'failed'],
    ['a success of a failed post', { success: true }, 'failed', 'failed'],
    [
      'a success with its address and the error of an earlier attempt',
      { success: true, platformPostUrl: url, error: 'once' },
      'partial',
      'published',
    ],
    ['an address beside an error', { platformPostUrl: url, error: 'no' }, 'partial', 'failed'],
    ['an error that says nothing', { success: true, error: ' ', platformPostUrl: url }, 'published', 'published'],
  ])('reads %s', (_, target, status, state) => {
    expect(stateIn(post(status, target))).toBe(state);
  });

  it('returns only the known fields of each target', () => {
    const reply: CreatePostResponse = {
      postId: 'p',
      status: 'partial',
      platforms: [
        { platform: 'bluesky', success: true, platformPostUrl: url, warningMessage: 'cropped' },
        { platform: 'tiktok', success: false, error: 'media rejected' },
      ],
    };
    const targets = targetResults(reply);
    const bluesky = { platform: 'bluesky', state: 'published', url, warning: 'cropped' };
    const tiktok = { platform: 'tiktok', state: 'failed', error: 'media rejected' };
    expect(targets).toEqual({
      all: [bluesky, tiktok],
      published: [bluesky],
      warned: [bluesky],
      failed: [tiktok],
      pending: [],
      assertAllPublished: expect.any(Function) as unknown,
    });
  });

  it('returns no targets if there are none', () => {
    expect(targetResults({ postId: 'p', status: 'draft' }).all).toEqual([]);
  });
});

describe('targetResults, on a listed post', () => {
  it.each<[string, TargetInfo, string | undefined, TargetResult['state']]>([
    [
      'all signs of publication',
      { status: 'published', platformPostId: '1', platformPostUrl: url, publishedAt: time },
      'published',
      'published',
    ],
    ['a post ID alone', { platformPostId: '1' }, 'partial', 'published'],
    ['a time of publication alone', { publishedAt: time }, 'publishing', 'published'],
    ['the word published', { status: 'published' }, 'partial', 'published'],
    ['the word published on a scheduled post', { status: 'published' }, 'scheduled', 'pending'],
    ['nothing, on a published post', {}, 'published', 'published'],
    ['another word, on a published post', { status: 'posted' }, 'published', 'published'],
    ['an error', { status: 'failed', errorMessage: 'no' }, 'partial', 'failed'],
    ['an error under another word', { status: 'rejected', errorMessage: 'no' }, 'partial', 'failed'],
    ['the word failed', { status: 'failed' }, 'partial', 'failed'],
    ['the word failed on a scheduled post', { status: 'failed' }, 'scheduled', 'pending'],
    ['the word failed beside a post ID', { status: 'failed', platformPostId: '1' }, 'partial', 'failed'],
    ['nothing, on a failed post', {}, 'failed', 'failed'],
    ['another word, on a failed post', { status: 'done' }, 'failed', 'failed'],
    ['a post ID alone, on a failed post', { platformPostId: '1' }, 'failed', 'failed'],
    [
      'the word published with an address, on a failed post',
      { status: 'published', platformPostUrl: url },
      'failed',
      'published',
    ],
    ['nothing, on a partial post', {}, 'partial', 'pending'],
    ['another word, on a partial post', { status: 'processing' }, 'partial', 'pending'],
    ['a warning alone', { warningMessage: 'cropped' }, 'partial', 'published'],
    ['a warning beside an error', { warningMessage: 'cropped', errorMessage: 'no' }, 'partial', 'failed'],
    ['nothing, while it is published', { status: 'publishing' }, 'publishing', 'pending'],
    ['nothing, on a scheduled post', { status: 'scheduled' }, 'scheduled', 'pending'],
    [
      'the error of an earlier attempt, on a published post',
      { platformPostUrl: url, errorMessage: 'once' },
      'published',
      'published',
    ],
    [
      'an address on a post that is scheduled again',
      { platformPostUrl: url, publishedAt: time },
      'scheduled',
      'published',
    ],
  ])('reads %s', (_, target, status, state) => {
    expect(stateIn(post(status, target))).toBe(state);
  });

  it('returns the time of publication', () => {
    const listed: Post = {
      postId: 'p',
      status: 'published',
      platforms: [{ platform: 'x_new', publishedAt: time, platformPostUrl: url, content: 'hi' }],
    };
    expect(targetResults(listed).published).toEqual([
      { platform: 'x_new', state: 'published', url, publishedAt: time },
    ]);
  });
});

describe('targetResults, on a webhook event', () => {
  const nulls = {
    platformPostId: null,
    platformPostUrl: null,
    publishedAt: null,
    errorMessage: null,
    warningMessage: null,
  };
  it.each<[string, string, TargetInfo, TargetResult['state']]>([
    ['a published target', 'post.published', { ...nulls, status: 'published', platformPostUrl: url }, 'published'],
    ['a published target without any address', 'post.published', { ...nulls }, 'published'],
    ['a failed target', 'post.partial', { ...nulls, status: 'failed', errorMessage: 'no' }, 'failed'],
    ['a failed target without a reason', 'post.failed', { ...nulls }, 'failed'],
    ['a warned target', 'post.partial', { ...nulls, warningMessage: 'cropped' }, 'published'],
    ['a scheduled target', 'post.scheduled', { ...nulls, status: 'scheduled' }, 'pending'],
    ['a scheduled target with a warning', 'post.scheduled', { ...nulls, warningMessage: 'soon' }, 'pending'],
  ])('reads %s', (_, type, target, state) => {
    expect(stateIn(event(type, target))).toBe(state);
  });

  it('returns the integration as the account', () => {
    const targets = targetResults(
      event('post.published', {
        ...nulls,
        platform: 'bluesky',
        integrationId: 'int_1',
        platformPostUrl: url,
        publishedAt: time,
      }),
    );
    expect(targets.published).toEqual([
      { platform: 'bluesky', accountId: 'int_1', state: 'published', url, publishedAt: time },
    ]);
  });

  it('goes by the type of the event, not by the status that the post has by now', () => {
    const source = {
      known: true,
      type: 'post.published',
      data: { post: { id: 'p', status: 'draft' }, platforms: [{}] },
    } as const;
    expect(stateIn(source)).toBe('published');
  });

  it('reads an unknown event with targets in the known form', () => {
    const payload = { type: 'post.retracted', data: { platforms: [{ integrationId: 'i', errorMessage: 'no' }, {}] } };
    const targets = targetResults({ known: false, type: 'post.retracted', payload } as unknown as TargetSource);
    expect(targets.all.map((target) => target.state)).toEqual(['failed', 'pending']);
  });

  it('takes any known event, and no unknown one, as TypeScript sees it', () => {
    expectTypeOf<KnownWebhookEvent>().toExtend<TargetSource>();
    expectTypeOf<CreatePostResponse>().toExtend<TargetSource>();
    expectTypeOf<Post>().toExtend<TargetSource>();
    expectTypeOf<UnknownWebhookEvent>().not.toExtend<TargetSource>();
  });
});

describe('targetResults', () => {
  const target = fc.record(
    {
      success: fc.boolean(),
      status: fc.constantFrom('published', 'failed', 'scheduled', 'publishing', 'new', ''),
      platformPostUrl: fc.constantFrom(url, '', null),
      platformPostId: fc.constantFrom('1', null),
      publishedAt: fc.constantFrom(time, null),
      error: fc.constantFrom('no', ''),
      errorMessage: fc.constantFrom('no', null),
      warningMessage: fc.constantFrom('hm', null),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<TargetInfo>;
  const status = fc.constantFrom(
    'draft',
    'pending',
    'scheduled',
    'publishing',
    'published',
    'failed',
    'partial',
    'new',
    undefined,
  );

  it('puts every target in exactly one of published, failed and pending, in order, and throws where one failed', () => {
    fc.assert(
      fc.property(status, fc.array(target, { minLength: 1, maxLength: 6 }), (postStatus, platforms) => {
        const targets = targetResults(post(postStatus, ...platforms));
        expect(targets.all).toHaveLength(platforms.length);
        expect(targets.all.filter((one) => targets.published.includes(one))).toEqual(targets.published);
        expect(targets.published.length + targets.failed.length + targets.pending.length).toBe(platforms.length);
        expect(targets.warned.every((one) => targets.published.includes(one))).toBe(true);
        if (targets.failed.length > 0) expect(targets.assertAllPublished).toThrow(PublishError);
        else expect(targets.assertAllPublished).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  it('does not treat a target without evidence as published, unless the post is', () => {
    fc.assert(
      fc.property(status, (postStatus) => {
        expect(stateIn(post(postStatus, {})) === 'published').toBe(postStatus === 'published');
      }),
    );
  });

  it('says the same of one outcome in each of the three shapes', () => {
    const shapes: TargetSource[] = [
      post(
        'partial',
        { platform: 'bluesky', success: true, platformPostUrl: url },
        { platform: 'tiktok', success: false, error: 'no' },
      ),
      post(
        'partial',
        { platform: 'bluesky', status: 'published', platformPostUrl: url },
        { platform: 'tiktok', status: 'failed', errorMessage: 'no' },
      ),
      event(
        'post.partial',
        { platform: 'bluesky', platformPostUrl: url, errorMessage: null },
        { platform: 'tiktok', platformPostUrl: null, errorMessage: 'no' },
      ),
    ];
    for (const shape of shapes) {
      expect(targetResults(shape).all).toEqual([
        { platform: 'bluesky', state: 'published', url },
        { platform: 'tiktok', state: 'failed', error: 'no' },
      ]);
    }
  });

  it.each([
    undefined,
    null,
    'post',
    [],
    {},
    { known: false, type: 'unknown', payload: {} },
    { data: {} },
    { postId: 'p', platforms: 'x' },
    { platforms: [1] },
  ])('refuses %j rather than to say that nothing failed', (source) => {
    expect(() => targetResults(source as unknown as TargetSource)).toThrow(InvalidRequestError);
  });
});

describe('assertAllPublished', () => {
  const failing = post(
    'partial',
    { platform: 'tiktok', success: false, error: 'media\nrejected' },
    { platform: 'bluesky', success: true, platformPostUrl: url },
    { success: false },
  );

  function thrownBy(source: TargetSource): PublishError {
    try {
      targetResults(source).assertAllPublished();
    } catch (error) {
      return error as PublishError;
    }
    throw new Error('nothing was thrown');
  }

  it('passes if all targets were published, with or without warnings', () => {
    const { assertAllPublished } = targetResults(
      post('partial', { success: true }, { success: true, warningMessage: 'cropped' }),
    );
    expect(assertAllPublished).not.toThrow();
  });

  it('passes where some are still pending', () => {
    expect(targetResults(post('scheduled', { success: true })).assertAllPublished).not.toThrow();
  });

  it('throws an error with the failed targets, which instanceof knows', () => {
    const error = thrownBy(failing);
    expect(error).toBeInstanceOf(PublishError);
    expect(error).toBeInstanceOf(SocialPublishingError);
    expect(error.name).toBe('PublishError');
    expect(error.targets).toEqual([
      { platform: 'tiktok', state: 'failed', error: 'media\nrejected' },
      { state: 'failed' },
    ]);
    expect(error.message).toBe('2 of 3 targets failed: tiktok: media rejected; a platform: no reason reported');
    expect(inspect(error)).toContain('media rejected');
  });

  it('never cuts a reason inside a character', () => {
    const error = thrownBy(post('failed', { success: false, error: `${'x'.repeat(199)}🎉` }));
    expect(error.message).toBe(`1 of 1 targets failed: a platform: ${'x'.repeat(199)}…`);
  });

  it('says unknown of the outcome where creating the post again would publish twice', () => {
    expect(thrownBy(failing).outcome).toBe('unknown');
    expect(thrownBy(post('failed', { success: false }, { success: false })).outcome).toBe('rejected');
  });

  it('throws for a failed post without known targets', () => {
    const error = thrownBy(post('failed'));
    expect(error.targets).toEqual([]);
    expect(error.outcome).toBe('rejected');
    expect(thrownBy(event('post.failed')).message).toBe('The post failed. Its targets are not listed.');
  });

  it('keeps its message short, whatever the platforms say', () => {
    const many = Array.from({ length: 50 }, () => ({ platform: 'tiktok', success: false, error: 'x'.repeat(10_000) }));
    const { message, targets } = thrownBy(post('failed', ...many));
    expect(message.length).toBeLessThan(1500);
    expect(message).toMatch(/45 more$/);
    expect(targets).toHaveLength(50);
  });
});
