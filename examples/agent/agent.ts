/**
 * An agent that looks for accounts, saves a draft, and asks the user before it publishes. It runs with a scripted model, in
 * memory and without network: `npx tsx examples/agent/agent.ts`. To use a real model, pass it to `runAgent`. It needs the
 * package `ai`: `npm install ai`.
 */
import { pathToFileURL } from 'node:url';
import { generateText, stepCountIs, type LanguageModel, type ModelMessage } from 'ai';
import { SocialPublishing } from 'social-publishing';
import { createEmulator } from 'social-publishing/emulator';
import { createPublisher, MemoryDurableStore } from 'social-publishing/publisher';
import { createTools, toAiTools, toolApproval } from 'social-publishing/tools';
import { scriptedModel } from './scripted-model.js';

export interface AgentOptions {
  readonly model: LanguageModel;
  readonly client: SocialPublishing;
  /** Asks the user. */
  readonly approve: (toolName: string, input: unknown) => boolean | Promise<boolean>;
}

/** Runs until the model has no further call. Resolves to its last text. */
export async function runAgent(prompt: string, { model, client, approve }: AgentOptions): Promise<string> {
  const store = new MemoryDurableStore(); // In production: a SqliteStore, PostgresStore or RedisStore.
  const made = createTools({ client, publisher: createPublisher({ client, store }), store });
  const tools = toAiTools(made, { approvedBy: 'framework' });
  const options = { model, tools, toolApproval: toolApproval(made), stopWhen: stepCountIs(10) };
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
  for (;;) {
    const { content, responseMessages, text } = await generateText({ ...options, messages });
    messages.push(...responseMessages);
    const requests = content.filter((part) => part.type === 'tool-approval-request');
    if (requests.length === 0) return text;
    for (const { approvalId, toolCall } of requests) {
      const approved = await approve(toolCall.toolName, toolCall.input);
      messages.push({ role: 'tool', content: [{ type: 'tool-approval-response', approvalId, approved }] });
    }
  }
}

async function main(): Promise<void> {
  const service = createEmulator({ accessKey: 'test-key' });
  const { id } = service.seed.integration({ platform: 'bluesky', username: 'acme' });
  const client = new SocialPublishing({
    baseUrl: 'https://emulator.test',
    accessKey: 'test-key',
    fetch: service.fetch,
  });
  const post = { key: 'spring-sale', content: 'Spring is here', mode: 'publish', accountIds: [id] };
  const model = scriptedModel([
    { tool: 'list_accounts', input: {} },
    { tool: 'create_post', input: { key: 'spring-sale/draft', content: 'Spring is here' } },
    { tool: 'create_post', input: post },
    { tool: 'create_post', input: post }, // It repeats the call: the post is published once.
  ]);
  const approve = (toolName: string, input: unknown) => {
    console.log(`May the agent call ${toolName}?`, input);
    return true;
  };
  console.log(await runAgent('Publish our spring sale.', { model, client, approve }));
  console.log(`${String(service.posts.length)} posts: ${service.posts.map(({ status }) => status ?? '').join(', ')}`);
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
