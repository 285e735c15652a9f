import { describe, expect, it, vi } from 'vitest';
import { toAiTools, toolApproval, type Tool } from '../../src/tools/index.js';
import { ToolWorld, inMinutes, start } from './world.js';

const publish = (world: ToolWorld) => ({
  tool: 'create_post',
  input: { key: 'k', content: 'Hello', mode: 'publish', accountIds: [world.instagram] },
});

describe('toAiTools', () => {
  it('refuses a misspelt or unknown way to approve', () => {
    const tools = new ToolWorld().tools();
    expect(() => toAiTools(tools, { approvedby: 'framework' } as never)).toThrow("did you mean 'approvedBy'?");
    expect(() => toAiTools(tools, { approvedBy: 'user' } as never)).toThrow("approvedBy must be 'framework'");
  });

  it('asks the approve of createTools', async () => {
    const world = new ToolWorld();
    const approve = vi.fn(() => true);
    const { create_post: tool } = toAiTools(world.tools({ approve }));
    expect(await tool?.execute(publish(world).input, {})).toMatchObject({ status: 'ok' });
    expect(approve).toHaveBeenCalledOnce();
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

  it('of a tool that only reads is false, and reads nothing', async () => {
    const world = new ToolWorld();
    const { instagram } = world;
    await world.publisher.enqueue('k', { content: 'Hello', saveAsDraft: true });
    const tools = world.tools({ maxCredits: 10 });
    const inputs: Record<string, object> = {
      get_post: { key: 'k' },
      preview_post: { content: 'Hello', accountIds: [instagram] },
      wait_for_post: { postId: 'p', seconds: 60 },
      list_comments: { accountId: instagram, postId: 'p' },
      list_conversations: { accountId: instagram },
      list_messages: { accountId: instagram, conversationId: 'c' },
      post_analytics: { postId: 'p' },
      account_insights: { accountId: instagram },
    };
    for (const tool of tools.filter(({ annotations }) => annotations.readOnlyHint)) {
      const input = inputs[tool.name] ?? {};
      expect(await tool.needsApproval(input)).toBe(false);
      expect(await toolApproval([tool])[tool.name]?.(input)).toBe('not-applicable');
    }
    expect(world.service.requests).toEqual([]);
  });

  it('is false for a call that was approved before', async () => {
    const world = new ToolWorld();
    const tools = world.tools({ approve: () => true });
    await tools.find(({ name }) => name === 'create_post')?.execute(publish(world).input);
    expect(await need(tools, 'create_post', publish(world).input)).toBe(false);
  });
});
