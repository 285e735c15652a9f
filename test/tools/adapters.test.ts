import { generateText, stepCountIs, type ModelMessage } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { describe, expect, it, vi } from 'vitest';
import { toAiTools, toolApproval, type Tool } from '../../src/tools/index.js';
import { ToolWorld, inMinutes, start } from './world.js';

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

describe('toAiTools', () => {
  it('refuses a misspelt or unknown way to approve', () => {
    const tools = new ToolWorld().tools();
    expect(() => toAiTools(tools, { approvedby: 'framework' } as never)).toThrow("did you mean 'approvedBy'?");
    expect(() => toAiTools(tools, { approvedBy: 'user' } as never)).toThrow("approvedBy must be 'framework'");
  });

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

  it('asks the approve of createTools', async () => {
    const world = new ToolWorld();
    const approve = vi.fn(() => true);
    const { create_post: tool } = toAiTools(world.tools({ approve }));
    expect(await tool?.execute(publish(world).input, {})).toMatchObject({ status: 'ok' });
    expect(approve).toHaveBeenCalledOnce();
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

  it('does not take a call as approved that needed no approval before its time came near', async () => {
    const world = new ToolWorld();
    const { create_post: tool } = toAiTools(world.tools({ mode: 'schedule' }), { approvedBy: 'framework' });
    const input = { ...publish(world).input, mode: 'schedule', scheduledFor: inMinutes(6) };
    expect(await tool?.needsApproval(input, { toolCallId: 'call-1' })).toBe(false);
    world.time = start + 3 * 60_000;
    expect(await tool?.execute(input, { toolCallId: 'call-1' })).toMatchObject({ status: 'needs_approval' });
    expect(world.writes).toEqual([]);
  });

  it('does not take the second execution of such a call as approved either', async () => {
    const world = new ToolWorld();
    const { create_post: tool } = toAiTools(world.tools({ mode: 'schedule' }), { approvedBy: 'framework' });
    const input = { ...publish(world).input, mode: 'schedule', scheduledFor: inMinutes(6) };
    await tool?.needsApproval(input, { toolCallId: 'call-1' });
    world.time = start + 3 * 60_000;
    await tool?.execute(input, { toolCallId: 'call-1' });
    expect(await tool?.execute(input, { toolCallId: 'call-1' })).toMatchObject({ status: 'needs_approval' });
    expect(world.writes).toEqual([]);
  });

  it('takes a call as approved that the framework asked for later', async () => {
    const world = new ToolWorld();
    const { create_post: tool } = toAiTools(world.tools({ mode: 'schedule' }), { approvedBy: 'framework' });
    const input = { ...publish(world).input, mode: 'schedule', scheduledFor: inMinutes(6) };
    await tool?.needsApproval(input, { toolCallId: 'call-1' });
    world.time = start + 3 * 60_000;
    expect(await tool?.needsApproval(input, { toolCallId: 'call-1' })).toBe(true);
    expect(await tool?.execute(input, { toolCallId: 'call-1' })).toMatchObject({ status: 'ok' });
  });

  it('passes the abort on', async () => {
    const { list_posts: tool } = toAiTools(new ToolWorld().tools());
    await expect(tool?.execute({}, { abortSignal: AbortSignal.abort('left') })).rejects.toBe('left');
  });
});

describe('needsApproval', () => {
  const need = (tools: readonly Tool[], name: string, input: unknown) =>
    tools.find((tool) => tool.name === name)?.needsApproval(input);

  it('is true only for writes beyond the mode, and stores nothing', async () => {
    const world = new ToolWorld();
    const tools = world.tools({ mode: 'schedule' });
    const scheduled = { ...publish(world).input, mode: 'schedule' };
    expect(await need(tools, 'list_posts', {})).toBe(false);
    expect(await need(tools, 'create_post', { key: 'k', content: 'Hello' })).toBe(false);
    expect(await need(tools, 'create_post', { ...scheduled, scheduledFor: inMinutes(60) })).toBe(false);
    expect(await need(tools, 'create_post', { ...scheduled, scheduledFor: inMinutes(4) })).toBe(true);
    expect(await need(tools, 'create_post', publish(world).input)).toBe(true);
    expect(await need(tools, 'create_post', { nonsense: true })).toBe(false);
    expect(world.writes).toEqual([]);
    expect(await world.store.scan('', undefined, 10)).toEqual([]);
  });

  it('is false for a call that was approved before', async () => {
    const world = new ToolWorld();
    const tools = world.tools({ approve: () => true });
    await tools.find(({ name }) => name === 'create_post')?.execute(publish(world).input);
    expect(await need(tools, 'create_post', publish(world).input)).toBe(false);
  });
});
