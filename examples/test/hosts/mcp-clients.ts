/** The clients of the two major versions of the MCP SDK. */
import { Client as Client2 } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { textOf, type HostWorld } from './host-world.js';

const answerOf = (agrees: boolean) =>
  agrees ? { action: 'accept' as const, content: {} } : { action: 'decline' as const };

export async function withSdk1(world: HostWorld): Promise<void> {
  const client = new Client1({ name: 'host', version: '1' }, { capabilities: { elicitation: {} } });
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => answerOf(world.ask(params.message)));
  await client.connect(world.serveInMemory());
  for (let call = await world.next(); call !== undefined;) {
    const result = await client.callTool({ name: call.tool, arguments: call.input });
    call = await world.next(textOf(result.content));
  }
  await client.close();
}

export const withSdk2 =
  (revision: '2025-11-25' | '2026-07-28') =>
  async (world: HostWorld): Promise<void> => {
    const client = new Client2(
      { name: 'host', version: '1' },
      {
        capabilities: { elicitation: { form: {} } },
        ...(revision === '2026-07-28' && { versionNegotiation: { mode: { pin: revision } } }),
      },
    );
    client.setRequestHandler('elicitation/create', ({ params }) => answerOf(world.ask(params.message)));
    await client.connect(world.serveInMemory());
    for (let call = await world.next(); call !== undefined;) {
      const result = await client.callTool({ name: call.tool, arguments: call.input });
      call = await world.next(textOf(result.content));
    }
    await client.close();
  };
