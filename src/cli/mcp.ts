import { Option, type Command } from 'commander';
import { newCommand, withService, withStore } from './program.js';
import { onRun, type Session } from './session.js';

/** `mcp`: the tools for agents, over the Model Context Protocol. */
export function mcpCommand(session: Session): Command {
  const command = newCommand(
    'mcp',
    'Serves tools for agents over the Model Context Protocol: on stdin and stdout, or with --http on 127.0.0.1. ' +
      'Posts are drafts unless --mode allows more, and no key is published twice.',
    'social-publishing mcp --mode schedule --time-zone Europe/Berlin',
  )
    .addOption(
      new Option('--mode <mode>', 'the strongest write that needs no approval; default draft').choices([
        'draft',
        'schedule',
        'publish',
      ]),
    )
    .option('--max-credits <n>', 'credits that the analytics tools may spend; default 0: no such tools')
    .option('--time-zone <zone>', 'IANA zone of local times; default UTC')
    .option('--http', 'serve Streamable HTTP, with a bearer token')
    .option('--port <n>', 'the port of --http; default: any free port')
    .option('--token-file <file>', 'the bearer token; default: a random one, printed to stderr');
  return onRun(withStore(withService(command)), session, async (values) => {
    // Loads the server only if the command runs, so that help starts fast.
    const { runMcp } = await import('./run-mcp.js');
    return runMcp(session, values);
  });
}
