import { describe, expect, it } from 'vitest';
import { createEmulator, type Emulator, type EmulatorState } from '../../../src/emulator/index.js';
import { raw, start, world } from '../world.js';

const hour = 3_600_000;
const iso = (ms: number) => new Date(ms).toISOString();
const at = (hours: number) => start + hours * hour;

/** The state of an emulator, as a file would hold it. */
function written(service: Emulator) {
  return JSON.parse(JSON.stringify(service.snapshot())) as EmulatorState & {
    jobs: { kind: string; at: number }[];
    posts: Record<string, unknown>[];
  };
}

const jobs = (service: Emulator) => written(service).jobs.map((job) => `${job.kind} ${iso(job.at)}`);

async function scheduled(hours: number, count = 1) {
  const here = world();
  for (let index = 0; index < count; index += 1)
    await raw(here.service, 'POST /v1/posts/', { scheduledFor: iso(at(hours)), platforms: here.platforms });
  return here;
}

const move = (service: Emulator, hours: number, postId = 'post_1') =>
  raw(service, `PUT /v1/posts/scheduled/${postId}`, { scheduledFor: iso(at(hours)) });

describe('a post that is planned anew', () => {
  it('is due only at its new time', async () => {
    const { service } = await scheduled(1);
    await move(service, 3);
    expect(service.clock.nextDue).toBe(at(3));
    await service.clock.step();
    expect(service.clock.now()).toBe(at(3));
    expect(service.posts).toMatchObject([{ status: 'published', updatedAt: iso(at(3)) }]);
    expect(service.clock.nextDue).toBeUndefined();
  });

  it('leaves no jobs behind, however often it is edited', async () => {
    const { service } = await scheduled(1);
    for (let edit = 0; edit < 50; edit += 1) await move(service, 2 + (edit % 3));
    expect(jobs(service)).toEqual([`publish ${iso(at(3))}`]);
  });

  it('takes no other job out with its own', async () => {
    const { service } = await scheduled(1, 3);
    await move(service, 2, 'post_2');
    expect(jobs(service)).toEqual([1, 1, 2].map((hours) => `publish ${iso(at(hours))}`));
    await service.clock.advance({ hours: 1 });
    expect(service.posts.map(({ status }) => status)).toEqual(['published', 'scheduled', 'published']);
  });

  it('changes nothing in a snapshot that was taken before', async () => {
    const { service } = await scheduled(1);
    const before = service.snapshot();
    await move(service, 3);
    service.restore(before);
    expect(service.clock.nextDue).toBe(at(1));
    await service.clock.step();
    expect(service.posts).toMatchObject([{ status: 'published', updatedAt: iso(at(1)) }]);
  });

  it.each([
    ['that went through JSON', (state: ReturnType<typeof written>) => state],
    [
      'of a version that did not keep the places of jobs',
      (state: ReturnType<typeof written>) => ({ ...state, posts: state.posts.map(({ dueOrder: _, ...post }) => post) }),
    ],
  ])('is due only at its new time in a state %s', async (_, changed) => {
    const { service } = await scheduled(1, 3);
    const other = createEmulator({ state: changed(written(service)), deliver: () => new Response() });
    await move(other, 2, 'post_2');
    expect(jobs(other)).toEqual([1, 1, 2].map((hours) => `publish ${iso(at(hours))}`));
    await other.clock.advance({ hours: 2 });
    expect(other.posts.map(({ status }) => status)).toEqual(['published', 'published', 'published']);
    expect(jobs(other)).toEqual([]);
  });
});

describe('a post that is seeded in the place of another one', () => {
  it('is not due any more where nothing is planned for it', () => {
    const { service } = world();
    service.seed.post({ postId: 'p', scheduledFor: iso(at(1)) });
    service.seed.post({ postId: 'p', status: 'draft' });
    expect(service.clock.nextDue).toBeUndefined();
  });

  it('is published at its own time', async () => {
    const { service } = world();
    service.seed.post({ postId: 'p', scheduledFor: iso(at(1)) });
    service.seed.post({ postId: 'p', scheduledFor: iso(at(2)) });
    expect(service.clock.nextDue).toBe(at(2));
    await service.clock.step();
    expect(service.posts).toMatchObject([{ status: 'published' }]);
  });

  it('takes the complete time of its own publishing', async () => {
    const { service } = world();
    service.publishing.duration({ hours: 2 });
    service.seed.post({ postId: 'p', status: 'publishing' });
    await service.clock.advance({ hours: 1 });
    service.seed.post({ postId: 'p', status: 'publishing' });
    expect(jobs(service)).toEqual([`finish ${iso(at(3))}`]);
    await service.clock.advance({ hours: 1 });
    expect(service.posts).toMatchObject([{ status: 'publishing' }]);
    await service.clock.advance({ hours: 1 });
    expect(service.posts).toMatchObject([{ status: 'published' }]);
  });
});

describe('an account that is connected anew', () => {
  const seed = (service: Emulator, fields: object) =>
    service.seed.integration({ id: 'a', platform: 'bluesky', accessTokenExpiresAt: iso(at(1)), ...fields });
  const statusOf = async (service: Emulator) =>
    (await raw(service, 'GET /v1/connect/integrations/a')).body as { integration: { authStatus: string } };

  it.each([
    ['another end', { accessTokenExpiresAt: iso(at(2)) }, at(2)],
    ['no end', { accessTokenExpiresAt: undefined }, undefined],
    ['a token that refreshes by itself', { tokenStatus: { autoRefreshes: true } }, undefined],
    ['no access', { authStatus: 'revoked' }, undefined],
    ['the same end', {}, at(1)],
  ])('with %s has one end at most', async (_, fields, end) => {
    const { service } = world();
    seed(service, {});
    const state = written(service);
    seed(service, fields);
    expect(service.clock.nextDue).toBe(end);
    expect(jobs(service)).toHaveLength(end === undefined ? 0 : 1);
    // The job of the former end, as states had it: it comes to nothing.
    const other = createEmulator({ state: { ...written(service), jobs: state.jobs } as EmulatorState });
    await other.clock.advance({ hours: 1 });
    const { integration } = await statusOf(other);
    expect(integration.authStatus).toBe(
      end === at(1) ? 'expired' : ((fields as { authStatus?: string }).authStatus ?? 'active'),
    );
  });
});
