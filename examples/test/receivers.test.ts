import { spawn, type ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleProgram } from '../../test/support/bundle-program.js';
import { expectReceiver } from '../../test/webhooks/receiver-checks.js';
import { secret } from '../../test/webhooks/verify-suite.js';
import { eventually } from '../../test/support/eventually.js';

/** Returns the events that an example logged. */
function eventsIn(log: string): string[] {
  return log.split('\n').filter((line) => line.startsWith('post.'));
}

describe('the examples of receivers that are servers', () => {
  const running: ChildProcess[] = [];
  const servers = new Map<string, { url: string; log: () => string }>();
  const names = ['node-http', 'express', 'fastify', 'hono'];

  beforeAll(async () => {
    await Promise.all(
      names.map(async (name) => {
        const child = spawn(process.execPath, [bundleProgram(`examples/receivers/${name}.ts`, 'examples/')], {
          env: { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' },
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        running.push(child);
        let log = '';
        const port = await new Promise<string>((resolve, reject) => {
          const onData = (chunk: Buffer) => {
            log += chunk.toString();
            const found = /port: (\d+)/.exec(log)?.[1];
            if (found !== undefined) resolve(found);
          };
          child.stdout.on('data', onData);
          child.stderr.on('data', onData);
          child.on('exit', () => {
            reject(new Error(`${name} ended:\n${log}`));
          });
        });
        servers.set(name, { url: `http://127.0.0.1:${port}/webhooks`, log: () => log });
      }),
    );
  });

  afterAll(() => {
    for (const child of running) child.kill();
  });

  it.each(names)('%s takes each event once and refuses the rest', async (name) => {
    const { url, log } = servers.get(name) ?? { url: '', log: () => '' };
    await expectReceiver(url);
    await eventually(() => {
      expect(eventsIn(log())).toEqual(['post.published evt_1', 'post.published evt_odd']);
    });
  });
});
