import type { Post } from '../../../posts/posts.js';
import type { RequestRecord } from '../../state/traffic.js';
import { createdReply } from '../../handlers/posts.js';
import { timestamp } from '../../state/time.js';
import { minuteMs, type DemoWorld } from './world.js';

const origin = 'http://127.0.0.1:8787';
const path = '/v1/posts/';

type DemoExchange = Pick<RequestRecord, 'method' | 'body' | 'faults' | 'status'> & {
  readonly at: number;
  readonly reply: unknown;
  readonly query?: RequestRecord['query'];
};

/** Seeds the requests that created the posts, a list, and refusals. */
export function seedRequests(world: DemoWorld, posts: readonly Post[]): void {
  const { store } = world.service;
  const exchanges = [...posts.flatMap((post) => creation(world, post)), ...others(world, posts)];
  exchanges.sort((a, b) => a.at - b.at);
  for (const exchange of exchanges) {
    const order = store.count('request');
    store.state.requests.set({ order, record: recordOf(`request_${String(order)}`, exchange) });
  }
}

function recordOf(id: string, { at, reply, query = {}, body, ...rest }: DemoExchange): RequestRecord {
  const search = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString();
  return {
    id,
    url: `${origin}${path}${search === '' ? '' : `?${search}`}`,
    path,
    route: `${rest.method} ${path}`,
    query,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      'x-access-key': '***',
      'user-agent': 'birch-and-bean-planner/1.4',
    },
    ...(body === undefined ? {} : { body }),
    at: timestamp(at),
    ...rest,
    reply: {
      headers: { 'content-type': 'application/json', date: new Date(at).toUTCString() },
      body: JSON.stringify(reply).slice(0, 4_096),
    },
  };
}

function creation({ service }: DemoWorld, { postId, rawRequestBody, createdAt = '' }: Post): DemoExchange[] {
  const post = service.store.state.posts.get(postId);
  if (post === undefined) return [];
  return [{ method: 'POST', body: rawRequestBody, status: 200, at: Date.parse(createdAt), reply: createdReply(post) }];
}

/** Two refusals, and a list. */
function others({ now }: DemoWorld, posts: readonly Post[]): DemoExchange[] {
  const failed = posts.filter(({ status }) => status === 'failed');
  const content = 'Free refills on filter coffee before nine, all week.';
  return [
    {
      method: 'POST',
      body: { content, saveAsDraft: true, publishNow: true },
      status: 400,
      at: now - 52 * minuteMs,
      reply: { success: false, message: 'A post needs exactly one of saveAsDraft, publishNow and scheduledFor.' },
    },
    {
      method: 'POST',
      body: { content, saveAsDraft: true },
      faults: ['status'],
      status: 503,
      at: now - 31 * minuteMs,
      reply: { success: false, message: 'A status fault answers 503.' },
    },
    {
      method: 'GET',
      query: { status: 'failed', limit: '1' },
      status: 200,
      at: now - 12 * minuteMs,
      reply: { success: true, total: failed.length, posts: failed.slice(-1) },
    },
  ];
}
