/** The tools in the package `ai`. Cases without the package: test/tools/adapters.test.ts. */
import { generateText, stepCountIs, type ModelMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it } from 'vitest';
import { toAiTools, toolApproval } from '../../src/tools/index.js';
import { ToolWorld } from '../../test/tools/world.js';

interface ToolCall {
  readonly tool: string;
  readonly input: object;
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** A model that makes these calls, one in each step, and then ends. */
function scripted(calls: readonly ToolCall[]): MockLanguageModelV4 {
  let step = 0;
  const doGenerate = () => {
    const call = calls[step];
    step += 1;
    if (call === undefined) {
      const content = [{ type: 'text' as const, text: 'Done.' }];
      return Promise.resolve({ content, finishReason: { unified: 'stop' as const, raw: 'stop' }, usage, warnings: [] });
    }
    const content = [
      {
        type: 'tool-call' as const,
        toolCallId: `call-${String(step)}`,
        toolName: call.tool,
        input: JSON.stringify(call.input),
      },
    ];
    return Promise.resolve({
      content,
      finishReason: { unified: 'tool-calls' as const, raw: 'tool' },
      usage,
      warnings: [],
    });
  };
  return new MockLanguageModelV4({ doGenerate });
}

const publish = (world: ToolWorld) => ({
  tool: 'create_post',
  input: { key: 'k', content: 'Hello', mode: 'publish', accountIds: [world.instagram] },
});

function outputsOf({ steps }: { steps: readonly { toolResults: readonly { output: unknown }[] }[] }): unknown[] {
  return steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output));
}

describe('toAiTools with generateText', () => {
  it('lets a model list accounts and save a draft', async () => {
    const world = new ToolWorld();
    const model = scripted([
      { tool: 'list_accounts', input: {} },
      { tool: 'create_post', input: { key: 'k', content: 'Hello' } },
      { tool: 'create_post', input: { key: 'k', content: 'Hello' } },
    ]);
    const result = await generateText({
      model,
      prompt: 'Go.',
      tools: toAiTools(world.tools()),
      stopWhen: stepCountIs(5),
    });
    expect(outputsOf(result)).toMatchObject([
      { status: 'ok', data: { total: 3 } },
      { status: 'ok', data: { replayed: false } },
      { status: 'ok', data: { replayed: true } },
    ]);
    expect(world.service.posts).toHaveLength(1);
  });

  it('gives the model the JSON Schema and the description of each tool', async () => {
    const tools = new ToolWorld().tools();
    const model = scripted([]);
    await generateText({ model, prompt: 'Go.', tools: toAiTools(tools) });
    const given = model.doGenerateCalls[0]?.tools as unknown as {
      name: string;
      description: string;
      inputSchema: object;
    }[];
    expect(given.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(given.map(({ inputSchema }) => inputSchema)).toEqual(tools.map(({ jsonSchema }) => jsonSchema));
  });

  it('returns needs_approval if a framework does not ask', async () => {
    const world = new ToolWorld();
    const tools = Object.fromEntries(
      Object.entries(toAiTools(world.tools())).map(([name, { needsApproval: _, ...tool }]) => [name, tool]),
    );
    const result = await generateText({
      model: scripted([publish(world)]),
      prompt: 'Go.',
      tools,
      stopWhen: stepCountIs(3),
    });
    expect(outputsOf(result)).toMatchObject([{ status: 'needs_approval' }]);
    expect(world.writes).toEqual([]);
  });

  it.each(['needsApproval', 'toolApproval'] as const)(
    'with %s: the user is asked, and a yes publishes once',
    async (way) => {
      const world = new ToolWorld();
      const made = world.tools();
      const tools = toAiTools(made, { approvedBy: 'framework' });
      const options = {
        tools,
        stopWhen: stepCountIs(3),
        ...(way === 'toolApproval' && { toolApproval: toolApproval(made) }),
      };
      const asked = await generateText({ model: scripted([publish(world)]), prompt: 'Go.', ...options });
      const request = asked.content.find(({ type }) => type === 'tool-approval-request') as
        { approvalId: string } | undefined;
      expect(request).toBeDefined();
      expect(world.writes).toEqual([]);
      const approval = {
        type: 'tool-approval-response' as const,
        approvalId: request?.approvalId ?? '',
        approved: true,
      };
      const messages: ModelMessage[] = [
        { role: 'user', content: 'Go.' },
        ...asked.finalStep.response.messages,
        { role: 'tool', content: [approval] },
      ];
      await generateText({ model: scripted([]), messages, ...options });
      expect(world.service.posts).toHaveLength(1);
    },
  );

  it.each(['needsApproval', 'toolApproval'] as const)('with %s: a no publishes nothing', async (way) => {
    const world = new ToolWorld();
    const made = world.tools();
    const tools = toAiTools(made, { approvedBy: 'framework' });
    const options = {
      tools,
      stopWhen: stepCountIs(3),
      ...(way === 'toolApproval' && { toolApproval: toolApproval(made) }),
    };
    const asked = await generateText({ model: scripted([publish(world)]), prompt: 'Go.', ...options });
    const request = asked.content.find(({ type }) => type === 'tool-approval-request') as
      { approvalId: string } | undefined;
    const approval = {
      type: 'tool-approval-response' as const,
      approvalId: request?.approvalId ?? '',
      approved: false,
    };
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Go.' },
      ...asked.finalStep.response.messages,
      { role: 'tool', content: [approval] },
    ];
    await generateText({ model: scripted([]), messages, ...options });
    expect(world.writes).toEqual([]);
  });
});
