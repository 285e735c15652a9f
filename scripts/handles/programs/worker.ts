/** The contract suite and a campaign in workerd, over D1 and over the storage of a Durable Object. */
import type { Subject } from '../../../bench/measure.js';
import { SqliteStore, type D1Database, type DurableObjectStorage } from '../../../src/stores/sqlite.js';
import type { WebhookInbox } from '../../../src/webhooks/index.js';
import { campaignInbox, publishCampaign, type Campaign } from './campaign.js';
import { publishSubjects, sqlWrites, type Prepare } from './publish-subjects.js';
import { failureOf, suiteOf } from './suite.js';

interface Env {
  readonly DB: D1Database;
  readonly BOX: {
    idFromName(name: string): unknown;
    get(id: unknown): { fetch(request: Request): Promise<Response> };
  };
}

/** What `/measure` measures. */
let subjects: readonly Subject[] | undefined;

/** `POST /measure?subject=publish` runs a subject three times. The caller measures: a Worker has no clock. */
async function runSubject(url: URL, handle: D1Database | DurableObjectStorage): Promise<Response> {
  subjects ??= await subjectsOn(handle, url.searchParams.get('service') ?? '');
  const subject = subjects.find(({ name }) => name === url.searchParams.get('subject'));
  for (let i = 0; i < 3; i += 1) await subject?.run();
  return new Response('done');
}

async function subjectsOn(handle: D1Database | DurableObjectStorage, service: string): Promise<readonly Subject[]> {
  const store = new SqliteStore(handle);
  await store.setup();
  const prepare: Prepare = (sql) =>
    'sql' in handle
      ? async (...parameters) => {
          handle.sql.exec(sql, ...parameters);
          await handle.sync();
        }
      : (...parameters) =>
          handle
            .prepare(sql)
            .bind(...parameters)
            .all();
  return publishSubjects(store, await sqlWrites(prepare, ['?', '?']), service);
}

/** The inbox of the campaign that runs here. */
let inbox: WebhookInbox | undefined;

/** `GET /3` runs the fourth test, `POST /` publishes a campaign, `POST /webhooks` receives its events. */
async function answer(request: Request, handle: D1Database | DurableObjectStorage): Promise<Response> {
  const open = () => new SqliteStore(handle);
  const url = new URL(request.url);
  if (url.pathname === '/measure') return runSubject(url, handle);
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
