import { beforeEach, describe, expect, it } from 'vitest';
import { accessKey, cliWorld, type CliWorld } from '../support/cli.js';
import { serveThroughCache } from '../support/stale-cache.js';

interface HealthFinding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly fix?: string;
}

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});

const findings = (json: () => unknown) => (json() as { findings: readonly HealthFinding[] }).findings;

describe('doctor', () => {
  it('checks everything with reads only, names the store, and exits with 0', async () => {
    const { code, json, out } = await world.run(['doctor']);
    expect(code).toBe(0);
    expect(findings(json).map(({ check }) => check)).toEqual([
      'node',
      'base URL',
      'access key',
      'service',
      'clock',
      'accounts',
      'store',
    ]);
    expect(out).toContain('/nonexistent/social-publishing/');
    expect(out).not.toContain(accessKey);
    expect(world.service.requests.every(({ method }) => method === 'GET')).toBe(true);
  });

  it('says how to fix each problem: missing settings exit with 2', async () => {
    const env = { SOCIAL_PUBLISHING_BASE_URL: '', SOCIAL_PUBLISHING_ACCESS_KEY: '' };
    const { code, json } = await world.run(['doctor'], { env });
    expect(code).toBe(2);
    const problems = findings(json).filter(({ status }) => status === 'problem');
    expect(problems.map(({ check }) => check)).toEqual(['base URL', 'access key']);
    expect(problems.every(({ fix }) => fix?.includes('SOCIAL_PUBLISHING_') === true)).toBe(true);
  });

  it('finds a refused key, and a service that is not there', async () => {
    const refused = await world.run(['doctor'], { env: { SOCIAL_PUBLISHING_ACCESS_KEY: 'another-key' } });
    expect(refused.code).toBe(1);
    expect(findings(refused.json)).toContainEqual(
      expect.objectContaining({
        check: 'access key',
        status: 'problem',
        fix: expect.stringContaining('key') as string,
      }),
    );
    const away = await world.run(['doctor', '--base-url', 'http://127.0.0.1:9']);
    expect(away.code).toBe(1);
    expect(findings(away.json)).toContainEqual(expect.objectContaining({ check: 'service', status: 'problem' }));
  });

  it('finds a wrong clock', async () => {
    const { json } = await world.run(['doctor'], { now: () => Date.now() + 90_000 });
    const clock = findings(json).find(({ check }) => check === 'clock');
    expect(clock).toMatchObject({ status: 'warning' });
    expect(clock?.message).toMatch(/^This machine is \d+ s ahead of the service\.$/);
  });

  it('does not compare its clock with the Date of a reply from a cache', async () => {
    const cache = await serveThroughCache(world.url);
    const { json } = await world.run(['doctor', '--base-url', cache.url]);
    expect(findings(json)).toContainEqual({
      check: 'clock',
      status: 'ok',
      message: 'The service shows no current Date, so the clocks cannot be compared.',
    });
  });

  it('finds an account that must be connected again', async () => {
    const { id } = world.service.seed.integration({
      platform: 'linkedin',
      username: 'acme',
      authStatus: 'expired',
      authFailureReason: 'token_expired',
    });
    const { code, json } = await world.run(['doctor']);
    expect(code).toBe(1);
    expect(findings(json)).toContainEqual(expect.objectContaining({ check: `account ${id}`, status: 'problem' }));
  });

  it('warns about a file store in CI, and about intents in doubt', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    const publish = ['publish', '--key', 'a', '--content', 'A', '--save-as-draft'];
    expect((await world.run(publish)).code).toBe(4);
    const { code, json } = await world.run(['doctor'], { env: { CI: 'true' } });
    expect(code).toBe(0);
    expect(findings(json)).toContainEqual(expect.objectContaining({ check: 'intents', status: 'warning' }));
    expect(findings(json).filter(({ check, status }) => check === 'store' && status === 'warning')).toHaveLength(1);
  });

  it('counts open intents of other services in the store', async () => {
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    const publish = ['publish', '--key', 'a', '--content', 'A', '--save-as-draft'];
    const store = ['--store', 'shared.db'];
    expect((await world.run([...publish, ...store])).code).toBe(4);
    const { json } = await world.run(['doctor', ...store, '--base-url', 'http://127.0.0.1:9/other']);
    expect(findings(json).filter(({ check }) => check === 'intents')).toEqual([
      expect.objectContaining({ status: 'warning', otherServices: 1 }),
    ]);
  });

  it('prints readable lines on a terminal, with colour unless NO_COLOR is set', async () => {
    const coloured = await world.run(['doctor'], { tty: true });
    expect(coloured.out).toContain('\u001b[32m');
    const plain = await world.run(['doctor'], { tty: true, env: { NO_COLOR: '1' } });
    expect(plain.out).not.toContain('\u001b[');
    expect(plain.out).toMatch(/^ok {7}service: It answers/m);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('prints a script for %s with commands and options', async (shell) => {
    const { code, out } = await world.run(['completion', shell]);
    expect(code).toBe(0);
    for (const word of ['social-publishing', 'posts', 'update-scheduled', 'campaign', 'scheduled-for', 'dry-run'])
      expect(out).toContain(word);
  });

  it('begins with the commands, without those of a group', async () => {
    for (const shell of ['bash', 'zsh'])
      expect((await world.run(['completion', shell])).out).toMatch(
        /'posts comments messages [a-z ]*publish campaign intents [a-z ]*emulator --help --version'/,
      );
  });

  it('knows no other shell', async () => {
    expect((await world.run(['completion', 'cmd'])).code).toBe(2);
  });
});

describe('the help of every other command', () => {
  it.each([
    [['publish']],
    [['campaign']],
    [['intents']],
    [['intents', 'list']],
    [['intents', 'stats']],
    [['intents', 'show']],
    [['intents', 'resolve']],
    [['intents', 'sweep']],
    [['intents', 'prune']],
    [['webhooks']],
    [['webhooks', 'verify']],
    [['webhooks', 'sign']],
    [['webhooks', 'trigger']],
    [['webhooks', 'listen']],
    [['doctor']],
    [['completion']],
    [['mcp']],
  ])('%j fits a screen and ends with an example', async (args) => {
    const { code, out } = await world.run([...args, '--help'], { columns: 80 });
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n').length).toBeLessThanOrEqual(40);
    expect(out).toMatch(/\nExample:\n {2}\S/);
  });
});

describe('mcp', () => {
  it.each([
    [['--mode', 'everything']],
    [['--max-credits', 'many']],
    [['--port', 'x']],
    [['--http', '--port', '99999']],
    [['--time-zone', 'Mars/Base']],
  ])('with %j exits with 2 and writes nothing to stdout', async (args) => {
    const { code, out } = await world.run(['mcp', ...args]);
    expect([code, out]).toEqual([2, '']);
  });
});
