import { InvalidRequestError } from '../../../src/core/errors.js';
import type { CreatePostBody, ReconcileResult } from '../../../src/posts/posts.js';
import type { Create, List, Operation, Reason, Reconcile, Sequence } from './sequence.js';
import { turns, World, type Call } from './world.js';

export interface EndedCreate {
  readonly operation: Create;
  readonly call: Call;
  /** The post that it resolved to. */
  readonly postId?: string | undefined;
  readonly error?: unknown;
  /** The rejection is the caller's abort reason. */
  readonly aborted: boolean;
  readonly tookMs: number;
}

export interface EndedReconcile {
  readonly operation: Reconcile;
  readonly of: EndedCreate;
  readonly result?: ReconcileResult | undefined;
  readonly error?: unknown;
  readonly from: number;
  readonly tookMs: number;
}

/** All that happened in a sequence. */
export interface History {
  readonly world: World;
  readonly creates: EndedCreate[];
  readonly reconciles: EndedReconcile[];
  /** Further observations of a caller. */
  readonly errors: unknown[];
  /** Timers and listeners that were left behind. */
  readonly left: string[];
}

interface SentBody {
  readonly body: CreatePostBody;
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** Bodies 0 and 1 differ only in a field in `extraBody`; the others have nothing in common. */
export const bodies: readonly ((accountId: string) => SentBody)[] = [
  () => ({ body: { content: 'one', saveAsDraft: true } }),
  () => ({ body: { content: 'one', saveAsDraft: true }, extraBody: { timezone: 'UTC' } }),
  () => ({ body: { content: 'two', saveAsDraft: true } }),
  (accountId) => ({ body: { content: 'three', publishNow: true, platforms: [{ platform: 'instagram', accountId }] } }),
  (accountId) => ({
    body: {
      content: 'one',
      scheduledFor: '2026-04-01T09:00:00+02:00',
      platforms: [{ platform: 'instagram', accountId }],
    },
  }),
  () => ({ body: { saveAsDraft: true } }),
];

function reasonOf(reason: Reason): unknown {
  switch (reason) {
    case 'default':
      return undefined;
    case 'own error':
      return new Error('enough');
    case 'text':
      return 'enough';
    case 'error of the package':
      return new InvalidRequestError([{ path: ['mine'], message: 'is what the caller made' }]);
  }
}

function counting(): { readonly controller: AbortController; readonly listeners: () => number } {
  const controller = new AbortController();
  const { signal } = controller;
  let count = 0;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  const known = new Set<unknown>();
  Object.assign(signal, {
    addEventListener: (...args: Parameters<typeof add>) => {
      count += 1;
      known.add(args[1]);
      add(...args);
    },
    removeEventListener: (...args: Parameters<typeof remove>) => {
      if (known.delete(args[1])) count -= 1;
      remove(...args);
    },
  });
  return { controller, listeners: () => (signal.aborted ? 0 : count) };
}

/** Runs a sequence to its end. */
export async function run({ steps, others, skewMs }: Sequence): Promise<History> {
  const world = new World(skewMs);
  const { id: accountId } = world.service.seed.integration({ platform: 'instagram' });
  // Existing posts: the same ones, ten minutes old, and others.
  const old = new Date(world.service.clock.now() - 600_000).toISOString();
  for (const make of bodies) {
    const { body, extraBody } = make(accountId);
    world.service.seed.post({
      content: body.content,
      status: 'draft',
      createdAt: old,
      rawRequestBody: { ...body, ...extraBody },
    });
  }
  for (let index = 0; index < others; index += 1) world.service.seed.post({ content: 'another', status: 'draft' });

  const history: History = { world, creates: [], reconciles: [], errors: [], left: [] };
  world.time.install();
  try {
    for (const step of steps) {
      const failed = history.creates.filter(({ postId }) => postId === undefined);
      await Promise.all(step.map((operation) => perform(history, operation, failed, accountId)));
    }
    await world.settled();
    await turns(2);
    // On a busy machine, the service's real timers of 0 ms end late. A timer that nothing clears stays in any case.
    for (let waited = 0; world.time.running > 0 && waited < 20; waited += 1) await world.time.pause(10);
    if (world.time.running > 0) history.left.push(`${String(world.time.running)} timers, set at ${world.time.setAt}`);
  } finally {
    world.time.restore();
    world.close();
  }
  return history;
}

async function perform(
  history: History,
  operation: Operation,
  failed: readonly EndedCreate[],
  accountId: string,
): Promise<void> {
  switch (operation.kind) {
    case 'create':
      return create(history, operation, accountId);
    case 'reconcile': {
      const of = failed[operation.of % Math.max(1, failed.length)];
      if (of === undefined) return;
      await Promise.all(Array.from({ length: operation.times }, () => reconcile(history, operation, of)));
      return;
    }
    case 'list':
      return list(history, operation);
  }
}

async function create({ world, creates, left }: History, operation: Create, accountId: string): Promise<void> {
  const { controller, listeners } = counting();
  const reason = reasonOf(operation.reason);
  const abort = () => {
    controller.abort(reason);
  };
  if (operation.early === 'already') abort();
  const { body, extraBody } = bodies[operation.body]?.(accountId) ?? { body: { saveAsDraft: true } };
  const at = { faults: operation.faults, abort, abortsInKey: operation.early === 'key' };
  const { call, value, error, tookMs } = await world.run(at, (headers) =>
    world.clients[operation.client === 0 ? 0 : 1].posts.create(body, { signal: controller.signal, headers, extraBody }),
  );
  const aborted = value === undefined && controller.signal.aborted && error === controller.signal.reason;
  creates.push({ operation, call, postId: value?.postId, error, aborted, tookMs });
  await turns(1);
  if (listeners() > 0) left.push(`${String(listeners())} listeners of a create`);
}

async function reconcile({ world, reconciles, errors }: History, operation: Reconcile, of: EndedCreate): Promise<void> {
  const from = world.moment();
  const at = { faults: operation.faults, abort: () => undefined, abortsInKey: false };
  const { value, error, tookMs } = await world.run(at, (headers) =>
    world.clients[operation.client === 0 ? 0 : 1].posts.reconcile(of.error, { waitMs: operation.waitMs, headers }),
  );
  if (error !== undefined) errors.push(error);
  reconciles.push({ operation, of, result: value, error, from, tookMs });
}

async function list({ world, errors }: History, operation: List): Promise<void> {
  const at = { faults: operation.faults, abort: () => undefined, abortsInKey: false };
  const { error } = await world.run(at, (headers) =>
    world.clients[operation.client === 0 ? 0 : 1].posts.list({ limit: 50 }, { headers }).toArray(),
  );
  if (error !== undefined) errors.push(error);
}
