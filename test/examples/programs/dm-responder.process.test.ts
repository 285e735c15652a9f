import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { hasSqlite, programWorld, type ProgramWorld } from '../../support/run-program.js';
import { temporaryFolder } from '../../support/temporary-folder.js';

let folder: string;
let world: ProgramWorld;
let account: string;
let ask: (id: string, text: string) => void;

beforeEach(async () => {
  folder = temporaryFolder('dm-responder');
  world = await programWorld();
  const { service } = world;
  account = service.seed.integration({ platform: 'instagram', username: 'acme' }).id;
  ask = (id, text) => {
    const conversation = service.seed.conversation({ accountId: account, participants: [{ id, name: id }] });
    service.seed.message({ accountId: account, conversationId: conversation.id, from: { id, name: id }, text });
  };
});

const sent = () => world.service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
const run = (...more: string[]) =>
  world.run('dm-responder', [
    '--account',
    account,
    '--answer',
    'price=It is 12 €.',
    '--db',
    join(folder, 'db'),
    ...more,
  ]);

/** The list of conversations stays as the next reader sees it. */
function freezeConversations(): void {
  const { service } = world;
  const exchange = service.exchange.bind(service);
  let first: ReturnType<typeof exchange> | undefined;
  vi.spyOn(service, 'exchange').mockImplementation((request) => {
    if (request.method !== 'GET') return exchange(request);
    first ??= exchange(request);
    return first;
  });
}

describe.skipIf(!hasSqlite)('the answers', () => {
  it('answers what holds a keyword, once, and leaves the rest', async () => {
    ask('kim', 'What is the PRICE?');
    ask('sam', 'Hello');
    const dry = await run('--dry-run');
    expect(dry.out).toContain('kim: What is the PRICE?\n    It is 12 €.');
    expect(sent()).toEqual([]);

    const first = await run();
    expect(sent()).toMatchObject([{ recipientId: 'kim', text: 'It is 12 €.' }]);
    expect(first.err).toBe('1 unanswered: decide yourself.\n');
    expect(first.code).toBe(2);

    await run();
    expect(sent()).toHaveLength(1);
  });

  it('does not answer again where the reply to its answer got lost', async () => {
    ask('kim', 'price?');
    world.service.faults.add({ route: 'POST /v1/messages/', kind: 'reset_after_commit', times: 1 });
    const first = await run();
    expect(first.err).toMatch(/may have been executed/);
    expect(first.code).toBe(2);

    const second = await run();
    expect(second).toMatchObject({ code: 0, out: '', err: '' });
    expect(sent()).toHaveLength(1);
  });

  it('are sent once, also if the list of conversations shows them late', async () => {
    ask('kim', 'price?');
    freezeConversations();
    for (const code of [0, 0, 0]) expect((await run()).code).toBe(code);
    expect(sent()).toHaveLength(1);
  });

  it('are sent once if the reply got lost and the list shows the answer late', async () => {
    ask('kim', 'price?');
    freezeConversations();
    world.service.faults.add({ route: 'POST /v1/messages/', kind: 'reset_after_commit', times: 1 });
    expect((await run()).code).toBe(2);
    const second = await run();
    expect(second.err).toMatch(
      /A call with the key "reply\/.*" began at .* Nothing was called\. Wait until at least 10 minutes after it began, and check at the service/,
    );
    expect(second.code).toBe(2);
    expect(sent()).toHaveLength(1);
  });

  it('are sent later if the service refused them', async () => {
    ask('kim', 'price?');
    world.service.faults.add({ route: 'POST /v1/messages/', kind: 'status', status: 403, times: 1 });
    expect((await run()).code).toBe(2);
    expect((await run()).code).toBe(0);
    expect((await run()).out).toBe('');
    expect(world.service.requests.filter(({ method, status }) => method === 'POST' && status === 200)).toHaveLength(1);
  });
});

it('explains the form of an answer', async () => {
  const { code, err } = await world.run('dm-responder', ['--account', account, '--answer', 'price']);
  expect(err).toBe("--answer must be KEYWORD=TEXT, not 'price'\n");
  expect(code).toBe(1);
});
