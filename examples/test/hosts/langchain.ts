/** LangChain, with tools in the process, and with the MCP server of the command. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, ToolMessage, type BaseMessage } from '@langchain/core/messages';
import type { ChatResult } from '@langchain/core/outputs';
import { tool, type StructuredToolInterface } from '@langchain/core/tools';
import { Command, MemorySaver } from '@langchain/langgraph';
import { MultiServerMCPClient } from '@langchain/mcp-adapters';
import { createAgent, humanInTheLoopMiddleware, type AgentMiddleware, type HITLRequest } from 'langchain';
import { toAiTools, type Tool } from '../../../src/tools/index.js';
import { textOf, type HostWorld } from './host-world.js';

class ScriptedModel extends BaseChatModel {
  readonly #world: HostWorld;
  #count = 0;

  constructor(world: HostWorld) {
    super({});
    this.#world = world;
  }

  _llmType(): string {
    return 'scripted';
  }

  override bindTools(): this {
    return this;
  }

  async _generate(messages: BaseMessage[]): Promise<ChatResult> {
    const last = messages.at(-1);
    const call = await this.#world.next(last instanceof ToolMessage ? seenIn(last) : undefined);
    this.#count += 1;
    const message =
      call === undefined
        ? new AIMessage('Done.')
        : new AIMessage({
            content: '',
            tool_calls: [{ type: 'tool_call', id: `call-${String(this.#count)}`, name: call.tool, args: call.input }],
          });
    return { generations: [{ text: '', message }] };
  }
}

function seenIn({ content }: ToolMessage): string {
  return typeof content === 'string' ? content : textOf(content);
}

const config = { configurable: { thread_id: 'sale' } };
const task = { messages: [{ role: 'user', content: 'Publish our sale.' }] };

/** The middleware interrupts the graph before a call that needs approval. */
function toLangChain(tools: readonly Tool[]) {
  const aiTools = toAiTools(tools, { approvedBy: 'framework' });
  const made = tools.map(({ name, description, jsonSchema }) =>
    tool(
      async (input: unknown, { toolCall }: { toolCall?: { id?: string } }) =>
        JSON.stringify(await aiTools[name]?.execute(input, { toolCallId: toolCall?.id })),
      { name, description, schema: jsonSchema },
    ),
  );
  const interruptOn = Object.fromEntries(
    tools.map(({ name }) => {
      const when = async ({ toolCall: { args, id } }: { toolCall: { args: unknown; id?: string | undefined } }) =>
        (await aiTools[name]?.needsApproval(args, { toolCallId: id })) ?? true;
      return [name, { allowedDecisions: ['approve' as const, 'reject' as const], when }];
    }),
  );
  // Its types do not fit `exactOptionalPropertyTypes`.
  const middleware = humanInTheLoopMiddleware({ interruptOn } as never) as unknown as AgentMiddleware;
  return { tools: made as StructuredToolInterface[], middleware: [middleware] };
}

export async function withLangChain(world: HostWorld): Promise<void> {
  const { tools, middleware } = toLangChain(world.tools());
  const agent = createAgent({ model: new ScriptedModel(world), tools, middleware, checkpointer: new MemorySaver() });
  let result = await agent.invoke(task, config);
  for (;;) {
    const interrupts = (result as { __interrupt__?: { value: HITLRequest }[] }).__interrupt__ ?? [];
    if (interrupts.length === 0) return;
    const decisions = interrupts.flatMap(({ value }) =>
      value.actionRequests.map(({ name, args }) => ({
        type: world.ask(`${name} ${JSON.stringify(args)}`) ? ('approve' as const) : ('reject' as const),
      })),
    );
    result = await agent.invoke(new Command({ resume: { decisions } }), config);
  }
}

/** This client has no elicitation. */
export async function withLangChainOverMcp(world: HostWorld): Promise<void> {
  const { url, headers } = await world.serveOverHttp({ asks: false });
  const client = new MultiServerMCPClient({ posts: { transport: 'http', url, headers: { ...headers } } });
  const agent = createAgent({ model: new ScriptedModel(world), tools: await client.getTools() });
  await agent.invoke(task);
  await client.close();
}
