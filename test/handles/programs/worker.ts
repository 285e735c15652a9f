/** The contract suite and a campaign in workerd, over D1 and over the storage of a Durable Object. */
import { SqliteStore, type D1Database, type DurableObjectStorage } from '../../../src/stores/sqlite/index.js';
import type { WebhookInbox } from '../../../src/webhooks/index.js';
import { campaignInbox, publishCampaign, type Campaign } from './campaign.js';
import { failureOf, suiteOf } from './suite.js';

interface Env {
  readonly DB: D1Database;
  readonly BOX: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

/** The inbox of the campaign that runs here. */
let inbox: WebhookInbox | undefined;

/** `GET /3` runs the fourth test, `POST /` publishes a campaign, `POST /webhooks` receives its events. */
async function answer(request: Request, handle: D1Database | DurableObjectStorage): Promise<Response> {
  const open = () => new SqliteStore(handle);
  const url = new URL(request.url);
  if (url.pathname === '/webhooks') return inbox?.fetch(request) ?? new Response('no campaign runs', { status: 503 });
  if (request.method === 'POST') {
    const store = open();
    await store.setup();
    const campaign = (await request.json()) as Campaign;
    inbox = campaignInbox(store, campaign);
    return Response.json({ states: await publishCampaign(store, inbox, campaign) });
  }
  const tests = suiteOf(open);
  const test = tests[Number(url.pathname.slice(1))];
  return Response.json({ tests: tests.length, failure: test === undefined ? 'no such test' : await failureOf(test) });
}

export class Box {
  readonly #storage: DurableObjectStorage;

  constructor(context: { readonly storage: DurableObjectStorage }) {
    this.#storage = context.storage;
  }

  fetch(request: Request): Promise<Response> {
    return answer(request, this.#storage);
  }
}

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    if (new URL(request.url).searchParams.get('on') === 'd1') return answer(request, env.DB);
    return env.BOX.get(env.BOX.idFromName('box')).fetch(request);
  },
};
