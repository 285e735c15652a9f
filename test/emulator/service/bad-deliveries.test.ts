import { describe, expect, it } from 'vitest';
import type { DeliveryFault, EmulatorOptions } from '../../../src/emulator/index.js';
import { verifyWebhook } from '../../../src/webhooks/verify/verify.js';
import { raw, start, world } from '../world.js';
import { eventually } from '../../support/eventually.js';

/** A world with a receiver that records deliveries, and signals when it is done. */
async function delivered(options: EmulatorOptions = {}, fault?: DeliveryFault) {
  const received: Request[] = [];
  const w = world({
    deliver: (request) => {
      received.push(request);
      return new Response(null, { status: 204 });
    },
    ...options,
  });
  const { webhook } = w.service.seed.subscription({ webhook: { url: 'https://app.test/hook' } });
  if (fault !== undefined) w.service.deliveryFaults.add(fault);
  const publish = () => raw(w.service, 'POST /v1/posts/', { publishNow: true, platforms: w.platforms });
  await publish();
  await w.service.settled();
  return { ...w, received, publish, secret: webhook?.secret ?? '' };
}

describe('a delivery that is lost', () => {
  it('never reaches its receiver, and nothing tries again', async () => {
    const { service, received, publish } = await delivered({}, { kind: 'lost', times: 1 });
    await service.clock.advance({ days: 3 });
    expect(received).toEqual([]);
    expect(service.deliveries).toMatchObject([{ attempt: 1, ok: false, error: 'lost' }]);
    await publish();
    await service.settled();
    expect(received).toHaveLength(1);
  });
});

describe('deliveries at once', () => {
  it('concurrent: the same event comes twice before the first one is answered', async () => {
    let open = 0;
    let most = 0;
    const ids: (string | null)[] = [];
    const { service } = await delivered(
      {
        deliver: async (request) => {
          ids.push(request.headers.get('X-Service-Event-Id'));
          most = Math.max(most, (open += 1));
          // Until both are here.
          await expect.poll(() => most).toBe(2);
          open -= 1;
          return new Response(null, { status: 204 });
        },
      },
      { kind: 'concurrent', times: 1 },
    );
    expect(most).toBe(2);
    expect(ids[0]).toBe(ids[1]);
    expect(service.deliveries).toHaveLength(2);
  });

  it.each([
    [undefined, 1],
    [3, 3],
  ])(
    'deliveryConcurrency %s: this number of deliveries per subscription is in flight',
    async (deliveryConcurrency, expected) => {
      let open = 0;
      let most = 0;
      const { service, platforms } = world({
        deliveryConcurrency,
        deliver: async () => {
          most = Math.max(most, (open += 1));
          // Until all that may be in flight are here.
          await expect.poll(() => most).toBe(expected);
          open -= 1;
          return new Response();
        },
      });
      service.seed.subscription({ webhook: { url: 'https://app.test/' } });
      for (let index = 0; index < 7; index += 1) {
        service.seed.post({ scheduledFor: new Date(start + 1000).toISOString(), platforms });
      }
      await service.clock.advance({ seconds: 2 });
      expect(most).toBe(expected);
      expect(service.deliveries).toHaveLength(7);
    },
  );

  /** Publishes posts of one instant for two subscriptions, and returns the most deliveries in flight of each. */
  function mostOfTwo(deliveryConcurrency: number, hangs: (count: number) => boolean = () => false) {
    const open: Record<string, number> = { a: 0, b: 0 };
    const most: Record<string, number> = { a: 0, b: 0 };
    const calls: Record<string, number> = { a: 0, b: 0 };
    const letGo: (() => void)[] = [];
    const { service, platforms } = world({
      deliveryConcurrency,
      deliver: async ({ url }) => {
        const name = new URL(url).pathname.slice(1);
        const count = (calls[name] = (calls[name] ?? 0) + 1);
        most[name] = Math.max(most[name] ?? 0, (open[name] = (open[name] ?? 0) + 1));
        if (hangs(count)) await new Promise<void>((resolve) => letGo.push(resolve));
        else await expect.poll(() => most[name]).toBe(deliveryConcurrency);
        open[name] = (open[name] ?? 0) - 1;
        return new Response();
      },
    });
    for (const name of ['a', 'b']) service.seed.subscription({ webhook: { url: `https://app.test/${name}` } });
    for (let index = 0; index < 7; index += 1) {
      service.seed.post({ scheduledFor: new Date(start + 1000).toISOString(), platforms });
    }
    const done = service.clock.advance({ seconds: 2 });
    return { service, most, calls, letGo, done };
  }

  it.each([1, 2, 3])('deliveryConcurrency %d holds for each of several subscriptions', async (deliveryConcurrency) => {
    const { service, most, done } = mostOfTwo(deliveryConcurrency);
    await done;
    expect(most).toEqual({ a: deliveryConcurrency, b: deliveryConcurrency });
    expect(service.deliveries).toHaveLength(14);
  });

  it('a delivery whose receiver hangs takes one place, and the others go on', async () => {
    const { calls, letGo, done } = mostOfTwo(2, (count) => count === 1);
    await eventually(() => {
      expect(calls).toEqual({ a: 7, b: 7 });
    });
    for (const answer of letGo) answer();
    await done;
  });
});

describe('a delivery after the secret was rotated', () => {
  it('is signed with the new secret, retries too', async () => {
    const bodies: { body: string; headers: Headers }[] = [];
    const { service, secret } = await delivered(
      {
        deliver: async (request) => {
          bodies.push({ body: await request.text(), headers: request.headers });
          return new Response(null, { status: 401 });
        },
      },
      { kind: 'rotated_secret', secret: 'whsec_new' },
    );
    await service.clock.advance({ minutes: 5 });
    expect(bodies).toHaveLength(3);
    for (const delivery of bodies) {
      const check = (with_: string | string[]) =>
        verifyWebhook({ ...delivery, secret: with_, now: () => service.clock.now() });
      await expect(check(secret)).rejects.toMatchObject({ code: 'signature_mismatch' });
      expect(await check([secret, 'whsec_new'])).toMatchObject({ type: 'post.published' });
    }
  });

  it('has a new secret by default', async () => {
    const { received, secret } = await delivered({}, { kind: 'rotated_secret', times: 1 });
    const [request] = received;
    await expect(
      verifyWebhook({ body: (await request?.text()) ?? '', headers: request?.headers ?? {}, secret, now: () => start }),
    ).rejects.toMatchObject({ code: 'signature_mismatch' });
  });

  it('takes no empty secret', async () => {
    const { service } = await delivered();
    expect(() => service.deliveryFaults.add({ kind: 'rotated_secret', secret: '' })).toThrow('secret');
    expect(() => service.deliveryFaults.add(undefined as never)).toThrow("A delivery fault's kind must be one of");
  });
});

describe('a receiver that goes by the real time', () => {
  it('is named as a cause if it refuses deliveries at another time', async () => {
    const { service } = await delivered({ deliver: () => new Response(null, { status: 401 }) });
    expect(service.deliveries[0]?.error).toMatch(/^status 401: .*\. Pass it now: \(\) => service\.clock\.now\(\)/);
  });

  it('is not, where the times agree or the refusal is another one', async () => {
    const same = await delivered({ now: Date.now, deliver: () => new Response(null, { status: 401 }) });
    expect(same.service.deliveries[0]?.error).toBe('status 401');
    const broken = await delivered({ deliver: () => new Response(null, { status: 500 }) });
    expect(broken.service.deliveries[0]?.error).toBe('status 500');
  });
});

describe('media items of an event', () => {
  it('contain a thumbnail, and lists do not', async () => {
    const { service, received, platforms, client } = await delivered();
    const image = { type: 'image', url: 'https://media.test/a.jpg' };
    const own = { type: 'video', url: 'https://media.test/b.mp4', thumbnail: 'https://media.test/b.jpg' };
    await client.posts.create({ publishNow: true, platforms }, { extraBody: { mediaItems: [image, own] } });
    await service.settled();
    const event = JSON.parse((await received.at(-1)?.text()) ?? '') as {
      data: { post: { mediaItems: { thumbnail: string }[] } };
    };
    expect(event.data.post.mediaItems).toMatchObject([
      { ...image, thumbnail: expect.stringMatching(/^https:/) as string },
      own,
    ]);
    expect((await client.posts.list({ limit: 1 })).items[0]?.mediaItems?.[0]).toEqual(image);
  });
});
