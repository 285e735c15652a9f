/**
 * Shows what the tools, the MCP server and the command do: `npm run report:agents` prints a document. It needs
 * `npm run build` and a Node with `node:sqlite`.
 */
import { exitCodes, helps, killedCampaign, startTimes } from './agents/command.js';
import { redTeam, toolList, toolResults } from './agents/tools.js';
import { transcript } from './agents/transcript.js';

const sections: readonly (readonly [title: string, make: () => string | Promise<string>])[] = [
  ['Tools', toolList],
  ['One result of each tool', toolResults],
  ['An MCP client over stdio', transcript],
  ['Injections', redTeam],
  ['Help', helps],
  ['Exit codes', exitCodes],
  ['A campaign of 30 rows that is killed twice', killedCampaign],
  ['Start', startTimes],
];

for (const [title, make] of sections) console.log(`## ${title}\n\n${await make()}\n`);
