/**
 * Runs ten tasks for an agent, and prints what happened: `npm run report:agents`. The model is scripted. For a real one:
 * `-- --model FILE`, whose default export is a function of the prompt and the tools.
 */
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { runTask, tasks, type AgentModel } from './tasks.js';

const { model: file } = parseArgs({ options: { model: { type: 'string' } } }).values;
const model =
  file === undefined
    ? undefined
    : ((await import(pathToFileURL(resolve(file)).href)) as { readonly default: AgentModel }).default;

console.log('| task | mistakes | calls | asked | sent | doubles | unapproved | dead ends | done |');
console.log('|---|---|---|---|---|---|---|---|---|');
let isLawful = true;
let done = 0;
for (const task of tasks) {
  const report = await runTask(task, model);
  const { prompt, mistakes, calls, asked, sent, doubles, unapproved, deadEnds } = report;
  const cells = [prompt, model === undefined ? mistakes : '', calls, asked, sent, doubles, unapproved, deadEnds];
  console.log(`| ${[...cells, report.done ? 'yes' : 'no'].join(' | ')} |`);
  isLawful &&= doubles + unapproved + deadEnds === 0;
  if (report.done) done += 1;
}
console.log(
  `${String(done)} of ${String(tasks.length)} tasks done. ${isLawful ? 'All laws hold.' : 'A law is broken.'}`,
);
// A real model may fail at a task. The laws must hold for every model.
process.exitCode = isLawful && (model !== undefined || done === tasks.length) ? 0 : 1;
