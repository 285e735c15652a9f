/** The package `@openai/agents`, with tools in the process, and with the MCP server of the command. */
import {
  Agent,
  MCPServerStreamableHttp,
  run,
  setTracingDisabled,
  tool,
  Usage,
  type AgentInputItem,
  type Model,
} from '@openai/agents';
import { toAiTools, toJsonTools, type Tool } from '../../../src/tools/index.js';
import { textOf, type HostWorld } from './host-world.js';

setTracingDisabled(true);

function modelOf(world: HostWorld): Model {
  let count = 0;
  return {
    getResponse: async ({ input }) => {
      const call = await world.next(typeof input === 'string' ? undefined : seenIn(input.at(-1)));
      count += 1;
      const ids = { id: String(count), status: 'completed' as const };
      return {
        usage: new Usage(),
        output: [
          call === undefined
            ? { ...ids, type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] }
            : {
                ...ids,
                type: 'function_call',
                callId: `call-${String(count)}`,
                name: call.tool,
                arguments: JSON.stringify(call.input),
              },
        ],
      };
    },
    getStreamedResponse: () => {
      throw new Error('Nothing is streamed here.');
    },
  };
}

function seenIn(item: AgentInputItem | undefined): string | undefined {
  if (item?.type !== 'function_call_result') return undefined;
  const { output } = item;
  if (typeof output === 'string') return output;
  return textOf([output].flat());
}

type StrictSchema = {
  type: 'object';
  properties: Record<string, never>;
  required: string[];
  additionalProperties: false;
};

/** `needsApproval` of each tool interrupts the run until the user has decided. */
function toOpenAiTools(tools: readonly Tool[]) {
  const aiTools = toAiTools(tools, { approvedBy: 'framework' });
  return toJsonTools(tools, { for: 'openai-strict' }).flatMap(({ name, description, parameters }) => {
    const aiTool = aiTools[name];
    if (aiTool === undefined) return [];
    return tool({
      name,
      description,
      strict: true,
      parameters: parameters as StrictSchema, // Made for this API.
      needsApproval: (_, input, callId) => aiTool.needsApproval(input, { toolCallId: callId }),
      execute: (input, _, details) =>
        aiTool.execute(input, { toolCallId: details?.toolCall?.callId, abortSignal: details?.signal }),
    });
  });
}

export async function withOpenAiAgents(world: HostWorld): Promise<void> {
  const agent = new Agent({ name: 'Publisher', model: modelOf(world), tools: toOpenAiTools(world.tools()) });
  let result = await run(agent, 'Publish our sale.');
  while (result.interruptions.length > 0) {
    for (const interruption of result.interruptions) {
      if (world.ask(`${interruption.name ?? ''} ${interruption.arguments ?? ''}`)) result.state.approve(interruption);
      else result.state.reject(interruption);
    }
    result = await run(agent, result.state);
  }
}

/** This client has no elicitation. */
export async function withOpenAiAgentsOverMcp(world: HostWorld): Promise<void> {
  const { url, headers } = await world.serveOverHttp({ asks: false });
  const server = new MCPServerStreamableHttp({ url, requestInit: { headers } });
  await server.connect();
  await run(new Agent({ name: 'Publisher', model: modelOf(world), mcpServers: [server] }), 'Publish our sale.');
  await server.close();
}
