import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));

it.each(['redis://:hush#h@127.0.0.1:6379', 'redis://:hush@127.0.0.1:6379x', ':hush@127.0.0.1:6379'])(
  'does not show the password of an invalid REDIS_URL: %s',
  async (url) => {
    const child = spawn(process.execPath, ['--import', 'tsx', 'examples/bullmq/enqueue.ts'], {
      cwd: root,
      env: {
        ...process.env,
        REDIS_URL: url,
        SOCIAL_PUBLISHING_BASE_URL: 'http://127.0.0.1:1',
        SOCIAL_PUBLISHING_ACCESS_KEY: 'key',
      },
    });
    const [err, out] = await Promise.all([text(child.stderr), text(child.stdout), once(child, 'close')]);
    expect(err).toContain('REDIS_URL');
    expect(err + out).not.toContain('hush');
    expect(child.exitCode).toBe(1);
  },
);
