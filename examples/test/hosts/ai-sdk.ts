/** The package `ai`, with tools in the process, and with its MCP client. */
import { createMCPClient, ElicitationRequestSchema } from '@ai-sdk/mcp';
import { generateText, stepCountIs, type ModelMessage, type ToolSet } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { toAiTools, toolApproval } from '../../../src/tools/index.js';
import type { HostWorld } from './host-world.js';

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const stop = { unified: 'stop' as const, raw: 'stop' };

function modelOf(world: HostWorld): MockLanguageModelV4 {
  let count = 0;
  return new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      const last = prompt.at(-1);
      const result = last?.role === 'tool' ? last.content.find((part) => part.type === 'tool-result') : undefined;
      const call = await world.next(result && JSON.stringify(result.output));
      if (call === undefined)
        return { content: [{ type: 'text', text: 'Done.' }], finishReason: stop, usage, warnings: [] };
      count += 1;
      const made = { toolCallId: `call-${String(count)}`, toolName: call.tool, input: JSON.stringify(call.input) };
      const finishReason = { unified: 'tool-calls' as const, raw: 'tool_calls' };
      return { content: [{ type: 'tool-call', ...made }], finishReason, usage, warnings: [] };
    },
  });
}

/** `toolApproval` asks the user between two calls of `generateText`. */
export async function withAiSdk(world: HostWorld): Promise<void> {
  const made = world.tools();
  const tools = toAiTools(made, { approvedBy: 'framework' });
  const options = { model: modelOf(world), tools, toolApproval: toolApproval(made), stopWhen: stepCountIs(10) };
  const messages: ModelMessage[] = [{ role: 'user', content: 'Publish our sale.' }];
  for (;;) {
    const { content, responseMessages } = await generateText({ ...options, messages });
    messages.push(...responseMessages);
    const requests = content.filter((part) => part.type === 'tool-approval-request');
    if (requests.length === 0) return;
    for (const { approvalId, toolCall } of requests) {
      const approved = world.ask(`${toolCall.toolName} ${JSON.stringify(toolCall.input)}`);
      messages.push({ role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] });
    }
  }
}

export async function withAiSdkOverMcp(world: HostWorld): Promise<void> {
  const { url, headers } = await world.serveOverHttp({ asks: true });
  const client = await createMCPClient({
    transport: { type: 'http', url, headers: { ...headers } },
    capabilities: { elicitation: {} },
  });
  client.onElicitationRequest(ElicitationRequestSchema, ({ params }) =>
    Promise.resolve(world.ask(params.message) ? { action: 'accept', content: {} } : { action: 'decline' }),
  );
  const tools = (await client.tools()) as ToolSet;
  await generateText({ model: modelOf(world), tools, stopWhen: stepCountIs(10), prompt: 'Publish our sale.' });
  await client.close();
}
