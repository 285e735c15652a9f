import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { bold, dim, line } from './print.js';
import { startStage, type Stage } from './stage.js';

/** The command that opens a URL on each system. */
const openers: Readonly<Record<string, string>> = { darwin: 'open', win32: 'explorer', linux: 'xdg-open' };

/** Runs the demo, adds two weeks of data of a coffee roaster, and keeps everything open in a browser until Ctrl-C. */
export async function showConsole(tell: (stage: Stage) => Promise<void>): Promise<void> {
  buildConsole();
  const stage = await startStage({ console: true });
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  try {
    await tell(stage);
    stage.service.seed.demo();
    console.log(`\n${bold(`The console: ${stage.served.url}`)}`);
    line('All that happened is in it, and a fortnight of a coffee roaster besides.');
    line('The clock is stopped: step to the next post, or let it run.');
    line(dim('Press Ctrl-C to stop.'));
    if (!process.argv.includes('--no-open')) open(stage.served.url);
    await stopped;
  } finally {
    await stage.close();
  }
}

/** The page is built with the package: a fresh clone does not contain it. */
function buildConsole(): void {
  if (existsSync('dist/console-page.cjs')) return;
  console.log('The console is built first. That takes half a minute, once.');
  const { status } = spawnSync('npm run build --silent', { shell: true, stdio: 'inherit' });
  if (status !== 0) throw new Error('The console could not be built.');
}

/** Opens the browser if there is one; the address is printed anyway. */
function open(url: string): void {
  const opener = openers[process.platform];
  if (opener === undefined) return;
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
