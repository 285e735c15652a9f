import type { Command } from 'commander';
import type { Endpoint } from '../../core/call/endpoint.js';
import { endpoints } from '../../resources/endpoints.js';
import {
  isWrite,
  positionals,
  questions,
  runOperation,
  savesSecret,
  selectingField,
  type CommandOperation,
} from './call-operation.js';
import { addFields, fieldOptions } from '../fields.js';
import { newCommand, withOptions } from '../options.js';
import { kebab, onRun, type Session } from '../session.js';
import { connect } from '../connection.js';
import type { SocialPublishing } from '../../index.js';

export interface ResourceSummary {
  readonly name: string;
  readonly summary: string;
}

/** Every operation, in the order of the client. */
export function allOperations(): CommandOperation[] {
  return Object.entries(endpoints).flatMap(([resource, methods]) =>
    Object.entries<Endpoint>(methods).map(([method, endpoint]) => ({ resource, method, endpoint })),
  );
}

export function resourceCommand(session: Session, { name, summary }: ResourceSummary): Command {
  const operations = allOperations().filter(({ resource }) => resource === name);
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  const [example = ''] = operations.map(exampleOf);
  const command = newCommand(name, description, `social-publishing ${example}`);
  for (const operation of operations) command.addCommand(operationCommand(session, operation));
  if (name === 'integrations') command.addCommand(needingAttentionCommand(session));
  return command;
}

function needingAttentionCommand(session: Session): Command {
  const command = newCommand(
    'needing-attention',
    'Lists the accounts that need attention, with the reason.',
    'social-publishing integrations needing-attention --json',
  ).option('--within-days <n>', 'also tokens that expire within this number of days; default 7');
  return onRun(withOptions(command, 'format', 'service'), session, async () => {
    const withinDays = session.wholeNumber('withinDays', { least: 0 }) ?? 7;
    const client = await connect(session);
    const found = client.integrations.needingAttention({ withinDays, signal: session.world.signal });
    await session.output.list(attentionRows(found));
    return undefined;
  });
}

async function* attentionRows(found: ReturnType<SocialPublishing['integrations']['needingAttention']>) {
  for await (const { integration, reason, expiresAt } of found) {
    const { id, platform, username } = integration;
    yield { id, platform, username, reason, expiresAt };
  }
}

function operationCommand(session: Session, operation: CommandOperation): Command {
  const { endpoint, method } = operation;
  const selecting = selectingField(endpoint);
  const fields = fieldOptions(endpoint).filter(
    ({ path: [name] }) => name === selecting || name !== endpoint.selectedBy?.query,
  );
  const deprecated = endpoint.deprecated === true ? ' Deprecated by the service.' : '';
  const example = `social-publishing ${exampleOf(operation)}`;
  const command = newCommand(kebab(method), `${endpoint.summary}${deprecated}`, example);
  for (const name of positionals(endpoint)) command.argument(`<${kebab(name)}>`, endpoint.params?.[name]?.description);
  if (selecting !== undefined) command.argument(`[${kebab(selecting)}]`, 'the same as the option');
  addFields(command, fields, endpoint.body && `JSON with the fields${secretHint(endpoint)}`);
  if (endpoint.list !== undefined) {
    command
      .option('--limit <n>', 'at most this number of items; default: one page')
      .option('--all', 'all items of all pages');
  }
  if (savesSecret(endpoint)) command.option('--secret-file <file>', 'where to save the new signing secret');
  if (isWrite(endpoint)) withOptions(command, 'dryRun');
  if (questions[endpoint.route] !== undefined) withOptions(command, 'confirmation');
  withOptions(command, 'format', 'service');
  return onRun(command, session, (_, args) => runOperation(session, { operation, fields, args }));
}

function secretHint({ secrets }: Endpoint): string {
  const names = [...(secrets?.params ?? []), ...(secrets?.body ?? [])];
  return names.length === 0 ? '' : `, with ${names.join(', ')}`;
}

/** Example arguments, which work with the demo of the emulator. The other commands need none. */
const examples: Readonly<Record<string, string>> = {
  'posts.create':
    "posts create --content 'Hello' --target bluesky:integration_7 \\\n    --scheduled-for 2027-03-01T09:00:00Z",
  'posts.list': 'posts list --status scheduled --all --json',
  'posts.updateScheduled': "posts update-scheduled post_59 --content 'New text'",
  'comments.list': 'comments list --platform threads --account-id integration_9 --post-id threads_5',
  'messages.listConversations': 'messages list-conversations --platform instagram --account-id integration_2',
  'messages.list': 'messages list conversation_1 --platform instagram --account-id integration_2',
  'messages.send':
    'messages send --platform instagram --account-id integration_2 \\\n    --recipient-id 4711 --text Hello',
  'automations.create':
    "automations create --account-id integration_2 --name Offer --post-scope any \\\n    --keywords offer --dm-message 'Here it is'",
  'automations.listEligiblePosts': 'automations list-eligible-posts --account-id integration_2',
  'automations.listLogs': 'automations list-logs automation_1 --limit 10',
  'analytics.getPost': 'analytics get-post post_1',
  'analytics.getInstagramInsights': 'analytics get-instagram-insights --account-id integration_2 --since 2027-01-01',
  'notifications.create':
    'notifications create --channel webhook --event-types post.failed \\\n    --webhook-url https://example.com/hook --secret-file secret.txt',
  'integrations.get': 'integrations get integration_2',
  'integrations.update': 'integrations update integration_2 --profile-id null',
  'integrations.selectFacebookPages': 'integrations select-facebook-pages --body body.json',
  'integrations.selectInstagramAccounts': 'integrations select-instagram-accounts --body body.json',
  'apps.create': 'apps create --body body.json',
};

function exampleOf({ resource, method }: CommandOperation): string {
  return examples[`${resource}.${method}`] ?? `${resource} ${kebab(method)}`;
}
