import type { Command } from 'commander';
import { newCommand, onRun, type Session } from '../command.js';
import { randomUUID } from 'node:crypto';
import { knownEventTypes, signWebhook, verifyWebhook, WebhookVerificationError } from '../../webhooks/index.js';
import { UsageError, exitCodes, type ExitCode } from '../errors.js';
import { deliver, listen, readReceiver, readWebhookSecret } from './listen.js';
import { readBytes } from '../input.js';

const secretOption = ['--secret-file <file>', 'the signing secret; else SOCIAL_PUBLISHING_WEBHOOK_SECRET'] as const;

/** `webhooks`: signatures, samples, and deliveries to a local receiver. */
export function webhooksCommand(session: Session): Command {
  return newCommand(
    'webhooks',
    'Verifies and signs deliveries, and sends them to a local receiver.',
    'social-publishing webhooks listen --forward-to http://127.0.0.1:3000/webhooks',
  )
    .addCommand(onRun(verifyCommand(), session, verifyDelivery, 'format'))
    .addCommand(onRun(signCommand(), session, signBody, 'format'))
    .addCommand(onRun(triggerCommand(), session, triggerEvent, 'dryRun', 'format'))
    .addCommand(onRun(listenCommand(), session, listen, 'format', 'service', 'store'));
}

function verifyCommand(): Command {
  return newCommand(
    'verify',
    'Checks the signature of a delivery. Exits with 1 if it must not be trusted.',
    'social-publishing webhooks verify --body body.json \\\n    --signature sha256=… --timestamp 1789999999',
  )
    .requiredOption('--body <file>', 'the body exactly as received; - for stdin')
    .requiredOption('--signature <text>', 'the header X-Service-Signature')
    .requiredOption('--timestamp <seconds>', 'the header X-Service-Timestamp')
    .option('--tolerance <seconds>', 'how old the delivery may be; none for no limit; default 300')
    .option(...secretOption);
}

function signCommand(): Command {
  return newCommand(
    'sign',
    'Prints the headers of a delivery with this body, signed, as JSON.',
    'social-publishing webhooks sign --body body.json',
  )
    .requiredOption('--body <file>', 'the body exactly as it will be sent; - for stdin')
    .option('--timestamp <seconds>', 'the time of the signature, in Unix seconds; default now')
    .option(...secretOption);
}

function triggerCommand(): Command {
  return newCommand(
    'trigger',
    'Sends one signed sample event to a receiver.',
    'social-publishing webhooks trigger post.failed --to http://127.0.0.1:3000/webhooks',
  )
    .argument('<event>', 'post.scheduled, post.published, post.partial or post.failed')
    .requiredOption('--to <url>', 'the receiver')
    .option(...secretOption);
}

function listenCommand(): Command {
  return newCommand(
    'listen',
    'Sends events to a local receiver, signed. It needs no public address and creates no subscription. ' +
      'After a restart, it continues: no event is lost, and a repeated delivery has the same event ID.',
    'social-publishing webhooks listen --forward-to http://127.0.0.1:3000/webhooks',
  )
    .requiredOption('--forward-to <url>', 'the receiver')
    .option('--poll <seconds>', 'time between two reads of the list of posts; default 60, with an emulator 5')
    .option('--since <time>', 'also posts that became final since this time; default: now, or the last run')
    .option(...secretOption);
}

async function verifyDelivery(session: Session): Promise<ExitCode> {
  const { output, world } = session;
  const secret = await readWebhookSecret(session);
  // A signature covers the bytes exactly.
  const body = await readBytes(session.world, session.text('body') ?? '', '--body');
  const headers = {
    'X-Service-Signature': session.text('signature') ?? '',
    'X-Service-Timestamp': session.text('timestamp') ?? '',
  };
  try {
    const event = await verifyWebhook({ body, headers, secret, toleranceSeconds: tolerance(session), now: world.now });
    output.result({ valid: true, id: event.id, type: event.type });
    return exitCodes.success;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { code, message, signatureValid } = error;
    output.result({ valid: false, code, message, signatureValid });
    return exitCodes.failure;
  }
}

function tolerance(session: Session): number | false {
  const text = session.text('tolerance') ?? '300';
  if (text === 'none') return false;
  if (!(Number(text) > 0)) throw new UsageError('--tolerance must be a number of seconds above 0, or none.');
  return Number(text);
}

async function signBody(session: Session): Promise<undefined> {
  const secret = await readWebhookSecret(session);
  // A signature covers the bytes exactly.
  const body = await readBytes(session.world, session.text('body') ?? '', '--body');
  const timestamp = session.wholeNumber('timestamp', { least: 0 }) ?? session.world.now() / 1000;
  const headers = await signWebhook({ body, secret, timestamp });
  session.output.result(headers, JSON.stringify(headers, undefined, 2));
  return undefined;
}

async function triggerEvent(session: Session, args: readonly string[]): Promise<ExitCode> {
  const [type = ''] = args;
  if (!knownEventTypes.some((known) => known === type))
    throw new UsageError(`The event must be one of: ${knownEventTypes.join(', ')}.`);
  const url = readReceiver(session, 'to');
  const secret = await readWebhookSecret(session);
  const body = sampleEvent(type, new Date(session.world.now()).toISOString());
  if (session.isSet('dryRun')) {
    const signed = await signWebhook({ body: JSON.stringify(body), secret });
    const headers = { ...signed, 'X-Service-Signature': '***' };
    session.output.result({ dryRun: true, method: 'POST', url: url.href, headers, body });
    return exitCodes.success;
  }
  const delivered = await deliver(url, JSON.stringify(body), secret);
  session.output.result({ eventId: body.id, type, ...delivered });
  return delivered.ok ? exitCodes.success : exitCodes.failure;
}

/** An event as the API document shows it, with two targets. */
function sampleEvent(type: string, now: string) {
  const status = type.replace('post.', '');
  const failed = status === 'failed' || status === 'partial';
  const published = status === 'published' || status === 'partial';
  const target = (platform: string, isPublished: boolean, error: string | null) => ({
    platform,
    integrationId: `integration_${platform}`,
    profileId: null,
    status: isPublished ? 'published' : error === null ? 'scheduled' : 'failed',
    platformPostId: isPublished ? '1789' : null,
    platformPostUrl: isPublished ? `https://example.com/${platform}/1789` : null,
    publishedAt: isPublished ? now : null,
    errorMessage: error,
    warningMessage: null,
  });
  return {
    version: '1',
    id: `sample_${randomUUID()}`,
    type,
    createdAt: now,
    projectId: 'project_sample',
    profileId: null,
    data: {
      post: {
        id: 'post_sample',
        status,
        content: 'A sample of social-publishing webhooks trigger.',
        scheduledFor: status === 'scheduled' ? now : null,
        publishedAt: published ? now : null,
        mediaItems: [],
        links: { service: 'https://example.com/posts/post_sample', api: 'https://example.com/v1/posts/post_sample' },
      },
      platforms: [
        target('bluesky', published, status === 'failed' ? 'The account was disconnected.' : null),
        target('linkedin', status === 'published', failed ? 'The account was disconnected.' : null),
      ],
    },
  };
}
