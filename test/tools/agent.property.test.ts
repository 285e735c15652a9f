import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { RequestFault } from '../../src/emulator/index.js';
import type { ToolMode, ToolResult } from '../../src/tools/index.js';
import { runs, runsTimeoutMs } from '../support/property.js';
import { ToolWorld, accessKey, inMinutes, start } from './world.js';

const minute = 60_000;
const modes: readonly ToolMode[] = ['draft', 'schedule', 'publish'];

const fault: fc.Arbitrary<RequestFault> = fc.constantFrom<RequestFault[]>(
  { kind: 'status', status: 429, times: 1 },
  { kind: 'status', status: 422, times: 1 },
  { kind: 'status', status: 401, times: 1 },
  { kind: 'status', status: 500, times: 1 },
  { kind: 'status', status: 500, body: { success: false, message: `bad key ${accessKey}` }, times: 1 },
  { kind: 'reset_before', times: 1 },
  { kind: 'reset_after_commit', times: 1 },
  { kind: 'truncated_body', times: 1 },
  { kind: 'invalid_json', times: 1 },
  { kind: 'timeout', times: 1 },
  { kind: 'timeout', commit: true, times: 1 },
  { kind: 'listing_lag', lagMs: 120_000 },
);

const key = fc.constantFrom('a', 'b', 'c');

/** The calls of an agent. It repeats, changes its mind, and leaves. */
const call = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      tool: fc.constant('create_post'),
      key,
      mode: fc.constantFrom(...modes),
      aheadMinutes: fc.constantFrom(1, 4, 5, 7, 90),
      variant: fc.constantFrom('', '', '', '!'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ tool: fc.constant('send_message'), key }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant('create_automation'), key }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constant('retry_failed_targets'), key }) },
  { weight: 1, arbitrary: fc.record({ tool: fc.constantFrom('get_post', 'preview_post', 'list_held_posts'), key }) },
  {
    weight: 1,
    arbitrary: fc.record({ tool: fc.constant('resolve_post'), key, as: fc.constantFrom('abandoned', 'published') }),
  },
);
type Call = { tool: string; key: string; mode?: ToolMode; aheadMinutes?: number; variant?: string; as?: string };

interface Step {
  readonly fault: RequestFault | undefined;
  /** They run at the same time. */
  readonly calls: readonly { readonly call: Call; readonly leaves: boolean; readonly answer: boolean }[];
  readonly passMinutes: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  fault: fc.option(fault, { nil: undefined, freq: 2 }),
  calls: fc.array(fc.record({ call, leaves: fc.boolean(), answer: fc.boolean() }), { minLength: 1, maxLength: 3 }),
  passMinutes: fc.constantFrom(0, 0, 1, 3, 20),
});

/** A world, and what users said in it. */
class History {
  readonly world = new ToolWorld({ client: { timeoutMs: 15 } });
  readonly approved = new Set<string>();
  readonly results: ToolResult[] = [];
  readonly conversationId: string;
  readonly #recipientId: string;

  constructor() {
    const { id, participants } = this.world.service.seed.conversation({ accountId: this.world.instagram });
    this.conversationId = id;
    this.#recipientId = participants?.[0]?.id ?? '';
  }

  inputOf({ tool, key, mode = 'draft', aheadMinutes = 0, variant = '', as = '' }: Call): object {
    const { instagram, tiktok } = this.world;
    const post = { content: `post ${key}${variant}`, mode, accountIds: [instagram, tiktok] };
    const time = mode === 'schedule' ? { scheduledFor: inMinutes(aheadMinutes) } : {};
    switch (tool) {
      case 'create_post':
        return { key, ...post, ...time };
      case 'preview_post':
        return { key, ...post };
      case 'send_message':
        return { key, accountId: instagram, recipientId: this.#recipientId, text: `message ${key}` };
      case 'create_automation':
        return { key, accountId: instagram, name: `automation ${key}` };
      case 'retry_failed_targets':
        return { key, retryKey: `${key}/retry` };
      case 'resolve_post':
        return { key, as, ...(as === 'published' && { postId: 'post_99' }) };
      case 'get_post':
        return { key };
      default:
        return {};
    }
  }

  /** Runs a step. Calls that leave go on in the background: the next step meets them. */
  async run({ fault, calls, passMinutes }: Step, mode: ToolMode): Promise<void> {
    const { world } = this;
    if (fault !== undefined) world.service.faults.add(fault);
    const agent = world.agent({ mode });
    await Promise.all(
      calls.map(async ({ call, leaves, answer }) => {
        const leaving = new AbortController();
        const approve = () => {
          if (answer) this.approved.add(`${call.tool} ${call.key}`);
          return answer;
        };
        const result = agent(call.tool, this.inputOf(call), { signal: leaving.signal, approve });
        if (leaves) leaving.abort('left');
        await result.then(
          (ended) => this.results.push(ended),
          (reason: unknown) => {
            expect(reason).toBe('left');
          },
        );
      }),
    );
    await world.pass(passMinutes);
  }
}

function countBy(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) counts[text] = (counts[text] ?? 0) + 1;
  return counts;
}

function checkHistory({ world, approved, results }: History, mode: ToolMode): void {
  const created = world.service.posts.filter(({ rawRequestBody }) => {
    const targets = rawRequestBody?.['platforms'];
    return Array.isArray(targets) && targets.length === 2; // A retry has fewer.
  });
  const posts = countBy(created.map(({ content }) => (content ?? '').replace('!', '')));
  for (const [content, count] of Object.entries(posts)) expect(count, content).toBe(1);
  for (const { content = '', rawRequestBody: body = {} } of created) {
    const isNear = Date.parse(String(body['scheduledFor'])) - start < 5 * minute;
    const strength = body['saveAsDraft'] === true ? 0 : body['publishNow'] === true || isNear ? 2 : 1;
    const wasApproved = approved.has(`create_post ${content.replace(/^post |!$/g, '')}`);
    if (strength > modes.indexOf(mode)) expect(wasApproved, content).toBe(true);
  }
  for (const result of results) {
    const text = JSON.stringify(result);
    expect(text).not.toContain(accessKey);
    expect(Buffer.byteLength(JSON.stringify(result.data ?? {}))).toBeLessThanOrEqual(16_384);
    expect(['ok', 'held', 'needs_approval', 'rejected', 'invalid', 'failed']).toContain(result.status);
  }
}

/** Checks executed writes that no list of posts shows. */
async function checkOthers({ world, conversationId, approved }: History, mode: ToolMode): Promise<void> {
  world.service.faults.clear();
  const query = { platform: 'instagram', accountId: world.instagram, limit: 100 } as const;
  const messages = await world.client.messages.list(conversationId, query).toArray();
  const automations = await world.client.automations.list();
  const done = [
    ...messages.map(({ text = '' }) => text).filter((text) => text.startsWith('message ')),
    ...automations.map(({ name = '' }) => name),
  ];
  for (const [text, count] of Object.entries(countBy(done))) {
    expect(count, text).toBe(1);
    const tool = text.startsWith('message ') ? 'send_message' : 'create_automation';
    if (mode !== 'publish') expect(approved.has(`${tool} ${text.split(' ')[1] ?? ''}`), text).toBe(true);
  }
}

it(
  'an agent that repeats, parallels and leaves calls publishes each key once, and nothing without approval',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...modes),
        fc.array(step, { minLength: 1, maxLength: 8 }),
        async (mode, steps) => {
          const history = new History();
          for (const each of steps) await history.run(each, mode);
          // Calls that were left end.
          await new Promise((resolve) => setTimeout(resolve, 30));
          checkHistory(history, mode);
          await checkOthers(history, mode);
        },
      ),
      runs(12),
    );
  },
  runsTimeoutMs(500, 12),
);
