import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, openService, until, type Service } from './service.js';

/** Returns the help of five commands. */
export function helps(): string {
  return [[], ['posts', 'create'], ['publish'], ['campaign'], ['intents', 'resolve'], ['webhooks', 'listen']]
    .map((args) => {
      const { stdout } = spawnSync(process.execPath, [command, ...args, '--help'], { encoding: 'utf8' });
      return `\`\`\`text\n$ social-publishing ${[...args, '--help'].join(' ')}\n${stdout}\`\`\``;
    })
    .join('\n\n');
}

const later = '2099-01-01T09:00:00Z';

/** Runs a command for each exit code. Returns a table. */
export async function exitCodes(): Promise<string> {
  const service = await openService();
  const { emulator, accountId } = service;
  const target = ['--target', `bluesky:${accountId}`];
  const publish = (key: string, ...more: string[]) => [
    'publish',
    '--key',
    key,
    '--content',
    'Hello',
    ...target,
    ...more,
  ];
  const rows: string[] = [];
  const run = async (args: readonly string[], how = '', env: Readonly<Record<string, string>> = {}) => {
    const { code, out, err } = await service.start(args, env).ended;
    const shown = (err === '' ? out : err).trim().split('\n');
    const first = /"(?:state|message)": ?"[^"]*"/.exec(out)?.[0] ?? shown[0] ?? '';
    const line = `social-publishing ${args.join(' ')}`.replaceAll(service.folder, '.');
    rows.push(`| ${String(code)} | \`${line}\` | ${how} | \`${first.replaceAll('|', '\\|')}\` |`);
  };
  const lost = { route: 'POST /v1/posts/', kind: 'reset_before', times: 1 } as const;
  await run(publish('ok', '--scheduled-for', later));
  await run(publish('ok', '--scheduled-for', later), 'the same again');
  await run(publish('draft', '--save-as-draft'));
  await run(['posts', 'list'], 'nothing listens', { SOCIAL_PUBLISHING_BASE_URL: 'http://127.0.0.1:65534' });
  emulator.faults.add({ route: 'POST /v1/posts/', kind: 'status', status: 401, times: 1 });
  await run(publish('ready', '--scheduled-for', later), 'the service answers 401');
  await run(['posts', 'list', '--stauts', 'draft']);
  await run(['posts', 'list'], 'no settings', { SOCIAL_PUBLISHING_BASE_URL: '' });
  await run([...publish('ok', '--scheduled-for', later), '--content', 'Other'], 'the key has another body');
  await run(['integrations', 'get', 'integration_99'], 'the service answers 404');
  emulator.publishing.outcome({ platform: 'bluesky', error: 'media rejected', times: 1 });
  await run(publish('failed', '--publish-now', '--yes'), 'all targets fail');
  emulator.faults.add(lost);
  await run(publish('doubt', '--scheduled-for', later), 'the connection breaks');
  emulator.faults.add(lost);
  await run(['posts', 'create', '--content', 'Hello', ...target, '--scheduled-for', later], 'the connection breaks');
  await run(publish('now', '--publish-now'), 'no terminal, no --yes');
  emulator.faults.add({ route: 'GET /v1/posts/', kind: 'latency', latencyMs: 60_000 });
  const { child, ended } = service.start(['posts', 'list']);
  const before = emulator.requests.length;
  await until(() => emulator.requests.length > before);
  child.kill('SIGINT');
  rows.push(`| ${String((await ended).code)} | \`social-publishing posts list\` | SIGINT while it waits | |`);
  await service.close();
  return ['| exit code | command | | first line |', '|---|---|---|---|', ...rows].join('\n');
}

/** A campaign of 30 rows that is killed twice. Returns a log. */
export async function killedCampaign(): Promise<string> {
  const service = await openService();
  const { emulator } = service;
  const file = writeRows(service);
  const log: string[] = [];
  emulator.faults.add({ route: 'POST /v1/posts/', kind: 'latency', latencyMs: 100 });
  for (const enough of [6, 15]) {
    const { child, ended } = service.start(['campaign', file]);
    await until(() => emulator.posts.length >= enough);
    child.kill('SIGKILL');
    const { code } = await ended;
    log.push(`SIGKILL: exit code ${String(code)}, the service has ${String(emulator.posts.length)} posts`);
  }
  let last = await service.start(['campaign', file, '--wait', '--json']).ended;
  log.push(`campaign --wait: exit code ${String(last.code)}, ${String(emulator.posts.length)} posts`);
  const { rows } = JSON.parse(last.out) as { rows: { key: string; state: string }[] };
  for (const { key, state } of rows.filter((row) => row.state === 'in_doubt')) {
    // The kill cut off its request before it arrived.
    const { code } = await service.start(['intents', 'resolve', key, '--as', 'not_sent', '--yes']).ended;
    log.push(`${key} was ${state}; intents resolve --as not_sent: exit code ${String(code)}`);
  }
  if (last.code !== 0) {
    last = await service.start(['campaign', file, '--wait', '--json']).ended;
    log.push(`campaign --wait: exit code ${String(last.code)}`);
  }
  const contents = emulator.posts.map(({ content }) => content);
  log.push(`posts: ${String(contents.length)}, different contents: ${String(new Set(contents).size)}`);
  log.push(`stores: ${readdirSync(join(service.folder, 'social-publishing')).join(', ')}`);
  await service.close();
  return `\`\`\`text\n${log.join('\n')}\n\`\`\``;
}

function writeRows({ folder, accountId }: Service): string {
  const file = join(folder, 'spring.csv');
  const rows = Array.from(
    { length: 30 },
    (_, index) => `k${String(index)},Post ${String(index)},2099-03-29T09:00,Europe/Berlin,bluesky:${accountId}`,
  );
  writeFileSync(file, ['key,content,time,zone,targets', ...rows].join('\n'));
  return file;
}

const rounds = 15;

/** Measures how long the command takes over an empty process. Returns a table. */
export function startTimes(): string {
  const subjects = [
    ['-e', '0'],
    ...[['--version'], ['--help'], ['publish', '--help'], ['posts', '--help']].map((args) => [command, ...args]),
  ].map((args) => ({ args, times: [] as number[] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { args, times } of subjects) {
      const start = performance.now();
      spawnSync(process.execPath, args);
      times.push(performance.now() - start);
    }
  }
  const fastest = subjects.map(({ times }) => Math.min(...times));
  const rows = subjects.map(({ args }, index) => {
    const [time = 0, empty = 0] = [fastest[index], fastest[0]];
    return `| \`node ${args.join(' ')}\` | ${time.toFixed(0)} ms | ${index === 0 ? '' : `+${(time - empty).toFixed(0)} ms`} |`;
  });
  return [
    `| the fastest of ${String(rounds)}, Node ${process.version} | time | over empty |`,
    '|---|---|---|',
    ...rows,
  ].join('\n');
}
