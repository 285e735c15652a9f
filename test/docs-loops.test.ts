/** Loops of documents and examples that write: a second run, by a new process on the same store, sends nothing again. */
import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEmulator, type Emulator, type ListingLagFault, type BrokenFault } from '../src/emulator/index.js';
import { SocialPublishing } from '../src/index.js';
import { createPublisher, MemoryDurableStore } from '../src/publisher/index.js';
import { blocksOf, documentFiles, Workshop, type Block } from './support/docs-blocks.js';
import { examplePrograms } from './support/example-programs.js';

/** Methods that create something at the service, or send something. */
const writing = new Set([
  ...['create', 'createMany', 'publish', 'publishMany', 'enqueue', 'send', 'execute', 'retryFailed'],
  ...['updateScheduled', 'selectFacebookPages', 'selectInstagramAccounts'],
]);

/** The names of the writing methods that a part of a program calls. */
function writesOf(node: ts.Node): string[] {
  const found: string[] = [];
  const visit = (inner: ts.Node) => {
    if (ts.isCallExpression(inner) && ts.isPropertyAccessExpression(inner.expression)) {
      const { text } = inner.expression.name;
      if (writing.has(text)) found.push(text);
    }
    ts.forEachChild(inner, visit);
  };
  visit(node);
  return found;
}

function parse(code: string): ts.SourceFile {
  return ts.createSourceFile('program.ts', code, ts.ScriptTarget.Latest, true);
}

/** The writing methods that loops of a program call. */
function loopWritesOf(code: string): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node) => {
    const isCallback =
      ts.isCallExpression(node) &&
      ts.isPropertyAccessExpression(node.expression) &&
      ['map', 'forEach', 'flatMap'].includes(node.expression.name.text);
    if (ts.isIterationStatement(node, false)) found.push(...writesOf(node));
    else if (isCallback) node.arguments.forEach((argument) => found.push(...writesOf(argument)));
    else ts.forEachChild(node, visit);
  };
  visit(parse(code));
  return found;
}

const files = [...(await documentFiles()), 'skills/social-publishing/SKILL.md'];
const blocks = (await Promise.all(files.map(blocksOf))).flat().filter(({ language }) => language === 'ts');
const loops = blocks.filter(({ code }) => loopWritesOf(code).length > 0);
/** The client without a key: its guide says that a second run creates all posts again. */
const isKeyless = ({ code }: Block) => loopWritesOf(code).includes('createMany');
const workshop = new Workshop('docs-loops', []);

/** What outlives a process: the service and the store. */
interface World {
  readonly service: Emulator;
  readonly store: MemoryDurableStore;
  readonly fetch: Emulator['fetch'];
}
let world: World;
let platforms: { platform: 'instagram' | 'tiktok'; accountId: string }[];

/** The number of requests that may change something. */
const writes = () => world.service.requests.filter(({ method }) => method !== 'GET').length;

beforeEach(async () => {
  vi.spyOn(process, 'once').mockReturnThis();
  for (const level of ['log', 'warn', 'error'] as const) vi.spyOn(console, level).mockReturnValue();
  const service = createEmulator({ accessKey: 'key', now: Date.now });
  world = { service, store: new MemoryDurableStore(), fetch: service.fetch };
  platforms = (['instagram', 'tiktok'] as const).map((platform) => {
    return { platform, accountId: service.seed.integration({ platform, username: 'acme' }).id };
  });
  const accountId = platforms[0]?.accountId ?? '';
  const conversation = service.seed.conversation({ accountId });
  service.seed.message({ accountId, conversationId: conversation.id, text: 'hi' });
  service.publishing.outcome({ platform: 'tiktok', error: 'media rejected', times: 1 });
  await variables().client.posts.create({ content: 'Before', publishNow: true, platforms });
});

afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** The variables that the guides expect, as a new process has them. */
function variables() {
  const { fetch, store } = world;
  const client = new SocialPublishing({ baseUrl: 'https://emulator.test', accessKey: 'key', fetch });
  const body = { content: 'Hi', scheduledFor: '2099-01-01T09:00:00Z', platforms };
  const campaign = ['de', 'fr'].map((language) => ({
    key: `campaign/${language}`,
    body: { ...body, content: language },
  }));
  const bodies = campaign.map((item) => item.body);
  return {
    client,
    store,
    publisher: createPublisher({ client, store }),
    campaign,
    bodies,
    instagramId: platforms[0]?.accountId,
  };
}

let runs = 0;
/** Runs a block in a new process: all its variables are new, except for the store. */
async function run(block: Block): Promise<void> {
  runs += 1;
  const given = variables();
  vi.stubGlobal('given', given);
  const names = Object.keys(given).filter((name) => !new RegExp(`const ${name}\\b`).test(block.code));
  const code = block.code.replace('new MemoryDurableStore()', 'globalThis.given.store');
  const changed = {
    ...block,
    name: `${block.name}-${String(runs)}`,
    code: `const { ${names.join(', ')} } = globalThis.given;\n${code}`,
  };
  await workshop.add(changed);
  // A run may end with an error, for example after a lost reply.
  await import(/* @vite-ignore */ workshop.pathOf(changed)).catch(() => undefined);
}

/** Lists show nothing new: each read returns the first reply to it. */
function freezeLists(): void {
  const { fetch } = world.service;
  const replies = new Map<string, Promise<Response>>();
  world = {
    ...world,
    fetch: async (input, init) => {
      if (init?.method !== 'GET') return fetch(input, init);
      const url = input instanceof Request ? input.url : String(input);
      const first = replies.get(url) ?? fetch(input, init);
      replies.set(url, first);
      return (await first).clone();
    },
  };
}

const lost: BrokenFault = { kind: 'reset_after_commit', route: 'POST', times: 1 };
const late: ListingLagFault = { kind: 'listing_lag', lagMs: 86_400_000 };

describe('a second run sends nothing again', () => {
  it('of these loops', () => {
    expect(loops.map(({ file }) => file)).toEqual([
      'docs/comments-automations-messages.md',
      'docs/durable.md',
      'docs/durable.md',
      'docs/rate-limits.md',
      'docs/results.md',
      'docs/scheduling.md',
    ]);
    // It can't be made safe without a key, so the code itself says so.
    for (const { code } of loops.filter(isKeyless)) expect(code).toContain('A second run creates every post again');
  });

  describe.each(loops.filter((block) => !isKeyless(block)))('$name', (block) => {
    /** Runs the block, and then again: only the first run writes. */
    async function onlyFirstWrites(again: number) {
      const before = writes();
      await run(block);
      const first = writes();
      expect(first).toBeGreaterThan(before);
      for (let times = 0; times < again; times += 1) await run(block);
      expect(writes()).toBe(first);
    }

    it.each([
      ['', []],
      ['if lists show new posts late', [late]],
      ['if a reply of the first run is lost', [lost]],
      ['if a reply of the first run is lost and lists show new posts late', [lost, late]],
    ])('%s', async (_, faults) => {
      for (const fault of faults) world.service.faults.add(fault);
      await onlyFirstWrites(2);
    });

    it.each([[[]], [[lost]]])('if every list stays as it was, with faults %j', async (faults) => {
      freezeLists();
      for (const fault of faults) world.service.faults.add(fault);
      await onlyFirstWrites(1);
    });
  });
});

/** Why a second run of an example sends nothing again. A new example needs a line, and a test. */
const examples: Readonly<Record<string, string>> = {
  'bulk-schedule/index.ts': 'publishMany: its key is the row. test/examples/bulk-schedule.process.test.ts',
  'bullmq/enqueue.ts': 'enqueue: its key is the number of the post. examples/test/engines',
  'bun/index.ts': 'publish: its key is in the path of the request',
  'cloudflare-worker/worker.ts': 'publish: its key is in the path of the request',
  'dbos/app.ts': 'it creates no post',
  'dbos/enqueue.ts': 'enqueue: its key is the number of the post, and the ID of the workflow',
  'dbos/receiver.ts': 'it sends only to workflows',
  'demo.ts': 'each run has a service of its own',
  'pg-boss/enqueue.ts': 'enqueue: its key is the number of the post. examples/test/engines',
  'pg-boss/receiver.ts': 'it sends only to queues',
  'programs/approval-queue.ts': 'publish: its key is the draft or its text. approval-queue.process.test.ts',
  'programs/dm-responder.ts': 'send_message: its key is the message. dm-responder.process.test.ts',
  'programs/late-send.ts': 'publishMany: its key is the first word of the line. late-send.process.test.ts',
  'programs/steady-campaign.ts': 'publishMany: its key is in the file. steady-campaign.process.test.ts',
  'programs/two-projects.ts': 'publish: its key and its scope are arguments. recipes.process.test.ts',
  'react-query/app.tsx': 'a user clicks each time: it saves a draft',
  'temporal/enqueue.ts': 'enqueue: its key is the number of the post, and the ID of the workflow',
  'temporal/worker.ts': 'it creates no post',
  'test-with-emulator.test.ts': 'each test has a service of its own',
};

describe('the examples that write', () => {
  const programs = examplePrograms().map((path) => ({
    name: path.slice('examples/'.length),
    code: readFileSync(path, 'utf8'),
  }));

  it('are known', () => {
    const found = programs.filter(({ code }) => writesOf(parse(code)).length > 0);
    expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(examples).sort());
  });
});
