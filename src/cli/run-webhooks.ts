import { randomUUID } from 'node:crypto';
import { signWebhook, verifyWebhook, WebhookVerificationError } from '../webhooks/index.js';
import { UsageError } from './command-errors.js';
import { deliver } from './deliver.js';
import { exitCodes, type ExitCode } from './exit-codes.js';
import { readBytes } from './read-input.js';
import { textOf, type Session, type Values } from './session.js';
import { readReceiver, readWebhookSecret } from './webhook-secret.js';

export async function verifyDelivery(session: Session, values: Values): Promise<ExitCode> {
  const { output, world } = session;
  const secret = await readWebhookSecret(session, values);
  // A signature covers the bytes exactly.
  const body = await readBytes(session.world, textOf(values, 'body') ?? '', '--body');
  const headers = {
    'X-Service-Signature': textOf(values, 'signature') ?? '',
    'X-Service-Timestamp': textOf(values, 'timestamp') ?? '',
  };
  try {
    const event = await verifyWebhook({ body, headers, secret, toleranceSeconds: tolerance(values), now: world.now });
    output.result({ valid: true, id: event.id, type: event.type });
    return exitCodes.success;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const { code, message, signatureValid } = error;
    output.result({ valid: false, code, message, signatureValid });
    return exitCodes.failure;
  }
}

function tolerance(values: Values): number | false {
  const text = textOf(values, 'tolerance') ?? '300';
  if (text === 'none') return false;
  if (!(Number(text) > 0)) throw new UsageError('--tolerance must be a number of seconds above 0, or none.');
  return Number(text);
}

export async function signBody(session: Session, values: Values): Promise<undefined> {
  const secret = await readWebhookSecret(session, values);
  // A signature covers the bytes exactly.
  const body = await readBytes(session.world, textOf(values, 'body') ?? '', '--body');
  const text = textOf(values, 'timestamp');
  const timestamp = text === undefined ? session.world.now() / 1000 : Number(text);
  const headers = await signWebhook({ body, secret, timestamp });
  session.output.result(headers, JSON.stringify(headers, undefined, 2));
  return undefined;
}

const events = ['post.scheduled', 'post.published', 'post.partial', 'post.failed'];

export async function triggerEvent(session: Session, values: Values, args: readonly string[]): Promise<ExitCode> {
  const [type = ''] = args;
  if (!events.includes(type)) throw new UsageError(`The event must be one of: ${events.join(', ')}.`);
  const url = readReceiver(values, 'to');
  const secret = await readWebhookSecret(session, values);
  const body = sampleEvent(type, new Date(session.world.now()).toISOString());
  if (values['dryRun'] === true) {
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
