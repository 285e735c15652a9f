/** Each library that hosts agents, with a scripted model. `-u` writes the transcripts again. */
import { expect, it } from 'vitest';
import { withAiSdk, withAiSdkOverMcp } from './hosts/ai-sdk.js';
import { HostWorld } from './hosts/host-world.js';
import { withLangChain, withLangChainOverMcp } from './hosts/langchain.js';
import { withSdk1, withSdk2 } from './hosts/mcp-clients.js';
import { withOpenAiAgents, withOpenAiAgentsOverMcp } from './hosts/openai-agents.js';

type Host = [name: string, runTask: (world: HostWorld) => Promise<void>];

/** The hosts that ask the user. */
const asking: readonly Host[] = [
  ['mcp-sdk-1', withSdk1],
  ['mcp-sdk-2-revision-2025-11-25', withSdk2('2025-11-25')],
  ['mcp-sdk-2-revision-2026-07-28', withSdk2('2026-07-28')],
  ['ai-sdk', withAiSdk],
  ['ai-sdk-over-mcp', withAiSdkOverMcp],
  ['openai-agents', withOpenAiAgents],
  ['langchain', withLangChain],
];
/** Their MCP clients have no elicitation, so the user runs the command that the tool names. */
const notAsking: readonly Host[] = [
  ['openai-agents-over-mcp', withOpenAiAgentsOverMcp],
  ['langchain-over-mcp', withLangChainOverMcp],
];

it.each([...asking, ...notAsking])('%s publishes once, after the approval of the user', async (name, runTask) => {
  const world = new HostWorld();
  await runTask(world);
  const transcript = await world.close();
  expect(world.service.posts).toMatchObject([{ content: 'Spring is here', status: 'published' }]);
  await expect(`${transcript}\n`).toMatchFileSnapshot(`hosts/transcripts/${name}.txt`);
});

it.each(asking)('%s publishes nothing if the user declines', async (_, runTask) => {
  const world = new HostWorld({ agrees: false });
  await runTask(world);
  expect(await world.close()).toContain('user: no');
  expect(world.service.posts).toEqual([]);
});
