import { SocialPublishing, type CreateDraftBody, type PaceLimits } from '../../src/index.js';
import { createEmulator } from '../../src/emulator/index.js';
import { serveEmulator } from '../../src/emulator/adapters/node.js';

/** The service and the key for a program's creates. */
interface Target {
  readonly client: SocialPublishing;
  readonly url: string;
  readonly accessKey: string;
}

/** A way to send creates. */
interface Way {
  readonly name: string;
  readonly limits?: PaceLimits;
  readonly fetch?: typeof fetch;
  /** The maximum number of seconds, if the service needs at least `least`. */
  readonly mostSeconds?: (least: number) => number;
  /** Sends all creates; a failed create does not stop the others. */
  readonly send: (to: Target, bodies: readonly CreateDraftBody[]) => Promise<unknown>;
}

export interface PaceResult {
  readonly perSecond: number;
  readonly way: string;
  /** Creates with a post. */
  readonly arrived: number;
  /** Creates without a post. */
  readonly lost: number;
  /** Posts beyond the first of a create. */
  readonly doubled: number;
  /** Requests answered with 429. */
  readonly refused: number;
  readonly seconds: number;
  /** Missing if the way has no limit. */
  readonly mostSeconds?: number | undefined;
}

const accessKey = 'key';
/** The time of each reply, also of a 429. */
export const latencyMs = 30;

const atOnce: Way['send'] = ({ client }, bodies) => Promise.allSettled(bodies.map((body) => client.posts.create(body)));

const atATime =
  (concurrency: number): Way['send'] =>
  async ({ client }, bodies) => {
    for await (const { status, error } of client.posts.createMany(bodies, { concurrency })) {
      if (status !== 'created') console.error(status, error);
    }
  };

const bare: Way['send'] = ({ url }, bodies) =>
  Promise.allSettled(
    bodies.map(async (body) => {
      const headers = { 'x-access-key': accessKey, 'content-type': 'application/json' };
      const reply = await fetch(`${url}/v1/posts/`, { method: 'POST', headers, body: JSON.stringify(body) });
      await reply.text();
    }),
  );

/** The `fetch` of a service whose 429 has no `Retry-After`. */
const withoutRetryAfter: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init);
  return reply.status === 429 ? new Response(await reply.text(), { status: 429 }) : reply;
};

const learned = (least: number) => 1.6 * least + 2;
const configured = (least: number) => 1.1 * least + 1;

/** Returns the ways that are measured against a service with this limit of requests per second. */
export function waysFor(perSecond: number): readonly Way[] {
  return [
    { name: 'bare `fetch`, all at once', send: bare },
    { name: '`create`, all at once', send: atOnce, mostSeconds: learned },
    {
      name: '`create`, all at once, no `Retry-After`',
      send: atOnce,
      fetch: withoutRetryAfter,
      mostSeconds: learned,
    },
    { name: '`createMany`, 8 at a time', send: atATime(8) },
    { name: '`createMany`, one after another', send: atATime(1) },
    {
      name: "`create`, all at once, with the service's rate as `limits.perSecond`",
      send: atOnce,
      limits: { perSecond },
      mostSeconds: configured,
    },
  ];
}

/** Sends creates to a service on its own socket with this limit of requests per second. */
export async function measurePace(way: Way, perSecond: number, count: number): Promise<PaceResult> {
  const service = createEmulator({ accessKey });
  service.faults.add({ kind: 'latency', latencyMs });
  service.faults.add({ kind: 'rate_limit', perSecond });
  const served = await serveEmulator(service);
  const { url } = served;
  const client = new SocialPublishing({
    baseUrl: url,
    accessKey,
    ...(way.limits && { limits: way.limits }),
    ...(way.fetch && { fetch: way.fetch }),
  });
  const bodies = Array.from({ length: count }, (_, index) => ({ content: String(index), saveAsDraft: true as const }));
  const start = performance.now();
  try {
    await way.send({ client, url, accessKey }, bodies);
    const seconds = (performance.now() - start) / 1_000;
    const contents = service.posts.map(({ content }) => content);
    const arrived = new Set(contents).size;
    const refused = service.requests.filter(({ status }) => status === 429).length;
    const counts = { arrived, lost: count - arrived, doubled: contents.length - arrived, refused };
    const mostSeconds = way.mostSeconds?.(count / perSecond - 1);
    return { perSecond, way: way.name, ...counts, seconds, mostSeconds };
  } finally {
    await served.close();
  }
}
