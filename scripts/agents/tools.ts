import { callEveryTool } from '../../test/tools/every-tool.js';
import { everyResult, harmless, injections, withoutUntrusted, worldOf } from '../../test/tools/injections.js';
import { ToolWorld, stringsIn } from '../../test/tools/world.js';

/** Returns the tools with their annotations, as a table. */
export function toolList(): string {
  const rows = new ToolWorld().tools({ maxCredits: 100 }).map(({ name, title, annotations }) => {
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
    const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint].map((hint) => (hint ? 'yes' : ''));
    return `| ${[`\`${name}\``, title, ...hints].join(' | ')} |`;
  });
  return [
    '| tool | title | readOnly | destructive | idempotent | openWorld |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n');
}

/** Calls each tool, and returns each whole result as JSON. */
export async function toolResults(): Promise<string> {
  const results = await callEveryTool(new ToolWorld());
  return Object.entries(results)
    .map(([name, result]) => `### ${name}\n\n\`\`\`json\n${JSON.stringify(result, null, 2)}\n\`\`\``)
    .join('\n\n');
}

/** Calls the tools with each injection as the text of every stranger. Returns a table. */
export async function redTeam(): Promise<string> {
  const expected = JSON.stringify(withoutUntrusted(await everyResult(worldOf(harmless))));
  const rows: string[] = [];
  for (const [index, injection] of injections.entries()) {
    const results = await everyResult(worldOf(injection));
    const places = stringsIn(results).filter(({ text }) => text.includes(injection));
    const outside = places.filter(({ path }) => !path.includes('untrustedText')).length;
    const isSame = JSON.stringify(withoutUntrusted(results)) === expected;
    const shown = JSON.stringify(injection).replaceAll('|', '\\|');
    rows.push(
      `| ${String(index + 1)} | ${shown} | ${String(places.length)} | ${String(outside)} | ${isSame ? 'yes' : 'NO'} |`,
    );
  }
  const head =
    '| | injection | places in 12 results | outside of untrustedText | other results as with harmless text |';
  return [head, '|---|---|---|---|---|', ...rows].join('\n');
}
