/** docs/cli.md is the only schema of the JSON that the command prints: each document must match its row. */
import { readFileSync } from 'node:fs';
import { beforeEach, expect, it } from 'vitest';
import { resources } from '../../src/cli/run.js';
import { cliWorld, type CliWorld } from '../support/cli.js';

const guide = readFileSync('docs/cli.md', 'utf8');
/** The documented form of each command. */
const forms = new Map(
  [...guide.matchAll(/^\| (`.*) \| `([[{].*[\]}])` \|$/gm)].flatMap(([, commands = '', form = '']) =>
    [...commands.matchAll(/`([^`]+)`/g)].map(([, command = '']) => [command, form] as const),
  ),
);

interface Form {
  readonly isList: boolean;
  readonly fields: ReadonlyMap<string, { readonly isOptional: boolean; readonly form: string | undefined }>;
}

/** Reads a form such as `{ total, rows: [{ line, key, error? }] }`. */
function readForm(text: string): Form {
  const isList = text.startsWith('[');
  const inner = text.replace(/^\[?\{ /, '').replace(/ \}\]?$/, '');
  const fields = [...inner.matchAll(/(\w+)(\?)?(?:: ([[{].*[\]}]))?(?:, |$)/g)].map(
    ([, name = '', mark, form]) => [name, { isOptional: mark === '?', form }] as const,
  );
  return { isList, fields: new Map(fields) };
}

function differences(value: unknown, form: string, at = ''): string[] {
  const { isList, fields } = readForm(form);
  if (isList !== Array.isArray(value)) return [`${at} is ${isList ? 'not ' : ''}a list`];
  return [value].flat().flatMap((item, index) => {
    const names = Object.keys(item as object);
    const missing = [...fields].filter(([name, { isOptional }]) => !isOptional && !names.includes(name));
    return [
      ...names.filter((name) => !fields.has(name)).map((name) => `${at}${name} is not documented`),
      ...missing.map(([name]) => `${at}${name} is missing in item ${String(index)}`),
      ...names.flatMap((name) => {
        const inner = fields.get(name)?.form;
        return inner === undefined ? [] : differences((item as Record<string, unknown>)[name], inner, `${name}.`);
      }),
    ];
  });
}

let world: CliWorld;
beforeEach(async () => {
  world = await cliWorld();
});

it('each command prints the JSON that docs/cli.md documents', async () => {
  const { accountId, service, url } = world;
  service.seed.integration({ platform: 'linkedin', authStatus: 'expired' });
  const seen = new Set<string>();
  const print = async (command: string, args: readonly string[], options: { env?: object; stdin?: string } = {}) => {
    const { err, json, out } = await world.run([...args, '--json'], options as never);
    expect(out, `${command}: ${err}`).not.toBe('');
    const form = forms.get(command);
    expect(form, command).toBeDefined();
    expect(differences(json(), form ?? ''), command).toEqual([]);
    seen.add(command);
  };
  const target = ['--target', `bluesky:${accountId}`, '--scheduled-for', '2099-01-01T09:00:00Z'];
  const post = (key: string) => ['publish', '--key', key, '--content', key, ...target];
  const stdin = `key,content,time,targets\na,A,2099-01-01T09:00:00Z,bluesky:${accountId}\n`;
  const env = { SOCIAL_PUBLISHING_WEBHOOK_SECRET: 'whsec_test_0123456789' };

  await print('--dry-run', ['posts', 'create', '--content', 'x', '--save-as-draft', '--dry-run']);
  await print('integrations needing-attention', ['integrations', 'needing-attention']);
  await print('publish', post('one'));
  await print('publish --dry-run', [...post('two'), '--dry-run']);
  await print('campaign', ['campaign', '-', '--yes'], { stdin });
  await print('campaign --dry-run', ['campaign', '-', '--dry-run'], { stdin });
  service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', times: 2 });
  await print('publish', post('lost'));
  await print('publish', post('gone'));
  await print('intents list', ['intents', 'list']);
  await print('intents show', ['intents', 'show', 'lost']);
  await print('intents stats', ['intents', 'stats']);
  await print('intents sweep --dry-run', ['intents', 'sweep', '--dry-run']);
  await print('intents sweep', ['intents', 'sweep', '--yes']);
  const all = ['intents', 'resolve', '--all', '--result', 'no_match', '--as', 'abandoned', '--prefix', 'gone'];
  const later = ['--sent-before', '2099-01-01T00:00:00Z'];
  await print('intents resolve --all --dry-run', [...all, ...later, '--dry-run']);
  const resolve = ['intents', 'resolve', 'lost', '--as', 'published', '--post-id', 'post_9'];
  await print('intents resolve --dry-run', [...resolve, '--dry-run']);
  await print('intents resolve', ['intents', 'resolve', 'lost', '--as', 'abandoned', '--yes']);
  await print('intents resolve --all', [...all, '--yes']);
  await print('intents resolve --all', [...all, ...later, '--yes']);
  await print('publish', [...post('waits'), '--send-ahead', '10m']);
  await print('campaign', ['campaign', '-', '--send-ahead', '10m', '--name', 'waits'], { stdin });
  await print('intents sweep --dry-run', ['intents', 'sweep', '--dry-run']);
  await print('intents edit --dry-run', ['intents', 'edit', 'waits', '--content', 'New', '--dry-run']);
  await print('intents edit', ['intents', 'edit', 'waits', '--content', 'New']);
  await print('intents cancel --dry-run', ['intents', 'cancel', 'waits', '--dry-run']);
  await print('intents cancel', ['intents', 'cancel', 'waits']);
  await print('intents prune --dry-run', ['intents', 'prune', '--older-than', '2000-01-01T00:00:00Z', '--dry-run']);
  await print('intents prune', ['intents', 'prune', '--older-than', '2000-01-01T00:00:00Z']);
  const signature = ['--signature', `sha256=${'0'.repeat(64)}`, '--timestamp', '1801468800'];
  await print('webhooks verify', ['webhooks', 'verify', '--body', '-', ...signature], { env, stdin: '{"id":"e"}' });
  await print('webhooks trigger --dry-run', ['webhooks', 'trigger', 'post.failed', '--to', url, '--dry-run'], { env });
  await print('webhooks trigger', ['webhooks', 'trigger', 'post.failed', '--to', url], { env });
  await print('new', ['new']);
  await print('doctor', ['doctor']);
  const untested = [...forms.keys()].filter((command) => !seen.has(command));
  expect(untested).toEqual(['new PROGRAM']);
});

it('an error is JSON on stderr', async () => {
  const { code, err } = await world.run(['posts', 'create', '--content', 'x', '--json']);
  const [, form = ''] = /`\{ error: (\{ .* \}) \}`/.exec(guide) ?? [];
  expect(code).toBe(2);
  const { error } = JSON.parse(err) as { error: object };
  expect(differences(error, form)).toEqual([]);
});

it('a resource without a method prints its methods', async () => {
  for (const { name } of resources) {
    const { code, err } = await world.run([name]);
    expect(code).toBe(2);
    expect(err).toMatch(new RegExp(`^Usage: social-publishing ${name} [^]*Commands:\n {2}[a-z-]+`));
  }
});

it.each([
  [['posts', 'list', '--created-after', 'yesterday'], '--created-after must be a date-time with seconds and an offset'],
  [
    ['posts', 'create', '--scheduled-for', '2099-01-01 09:00'],
    'such as 2027-03-01T09:00:00Z or 2027-03-01T10:00:00+01:00',
  ],
  [['analytics', 'list-posts', '--from-date', '1.3.2027'], '--from-date must be a day in the form YYYY-MM-DD'],
  [['posts', 'create', '--content', 'caf\uFFFD', '--save-as-draft'], '--content is not UTF-8'],
  [['publish', '--key', 'k', '--content', 'caf\uFFFD', '--save-as-draft'], '--content is not UTF-8'],
  [['automations', 'create', '--keywords', 'tea', '--keywords', 'caf\uFFFD'], '--keywords is not UTF-8'],
])('%j exits with 2, sends nothing, and says what is allowed', async (args, message) => {
  const { code, err } = await world.run(args);
  expect([code, world.service.requests]).toEqual([2, []]);
  expect(err).toContain(message);
});

it('doctor names the account and the reason as fields', async () => {
  const { id } = world.service.seed.integration({ platform: 'linkedin', authStatus: 'expired' });
  const { json } = await world.run(['doctor', '--json']);
  const { findings } = json() as { findings: unknown[] };
  expect(findings).toContainEqual(expect.objectContaining({ account: id, code: 'auth_failed', status: 'problem' }));
  const missing = await world.run(['doctor', '--json'], { env: { SOCIAL_PUBLISHING_ACCESS_KEY: '' } });
  expect((missing.json() as { findings: unknown[] }).findings).toContainEqual(
    expect.objectContaining({ code: 'access_key_missing', status: 'problem' }),
  );
});
