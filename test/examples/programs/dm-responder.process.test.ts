import { afterEach, beforeEach, expect, it } from 'vitest';
import { programWorld, type ProgramWorld } from '../../support/run-program.js';

let world: ProgramWorld;
let account: string;
let ask: (id: string, text: string) => void;

beforeEach(async () => {
  world = await programWorld();
  const { service } = world;
  account = service.seed.integration({ platform: 'instagram', username: 'acme' }).id;
  ask = (id, text) => {
    const conversation = service.seed.conversation({ accountId: account, participants: [{ id, name: id }] });
    service.seed.message({ accountId: account, conversationId: conversation.id, from: { id, name: id }, text });
  };
});

afterEach(() => world.close());

const sent = () => world.service.requests.filter(({ method }) => method === 'POST').map(({ body }) => body);
const run = (...more: string[]) =>
  world.run('dm-responder', ['--account', account, '--answer', 'price=It is 12 €.', ...more]);

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
  expect(first.err).toContain('may have been sent');
  expect(first.code).toBe(2);

  const second = await run();
  expect(second).toMatchObject({ code: 0, out: '', err: '' });
  expect(sent()).toHaveLength(1);
});

it('explains the form of an answer', async () => {
  const { code, err } = await world.run('dm-responder', ['--account', account, '--answer', 'price']);
  expect(err).toBe("--answer must be KEYWORD=TEXT, not 'price'\n");
  expect(code).toBe(1);
});
