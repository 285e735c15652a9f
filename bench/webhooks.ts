import { createHmac, timingSafeEqual } from 'node:crypto';
import { signWebhook, verifyWebhook } from 'social-publishing/webhooks';
import { interleave, median, ratio, type Subject, type Times } from './measure.js';
import { ms, type Row } from './table.js';

/** An event of about 2 kB with six targets. */
function eventBody(): Uint8Array<ArrayBuffer> {
  const target = {
    platform: 'instagram',
    integrationId: 'int_5f3a9c2e7b1d4860',
    profileId: null,
    status: 'published',
    platformPostId: '17912345678901234',
    platformPostUrl: 'https://platform.example/p/17912345678901234',
    publishedAt: '2026-03-01T09:00:04.000Z',
    errorMessage: null,
    warningMessage: null,
  };
  const event = {
    version: '1',
    id: 'evt_5f3a9c2e7b1d4860',
    type: 'post.published',
    createdAt: '2026-03-01T09:00:05.000Z',
    projectId: 'prj_1',
    profileId: null,
    data: {
      post: {
        id: 'post_1',
        status: 'published',
        content: 'Hello from the bench. '.repeat(5),
        scheduledFor: null,
        mediaItems: [],
      },
      platforms: Array.from({ length: 6 }, () => target),
    },
  };
  return new TextEncoder().encode(JSON.stringify(event));
}

/** The minimum work of a receiver on Node: it checks only the signature. */
function bare(body: Uint8Array, timestamp: string, signature: Buffer, secret: string): unknown {
  const digest = createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest();
  if (!timingSafeEqual(digest, signature)) throw new Error('not signed');
  return JSON.parse(Buffer.from(body).toString('utf8'));
}

/**
 * Compares `verifyWebhook` with node:crypto's HMAC and JSON.parse. WebCrypto works in other threads: a single delivery
 * waits for them to wake, but each of many concurrent ones costs little.
 */
export async function benchWebhooks(): Promise<Row[]> {
  const body = eventBody();
  const secret = 'whk_bench_5f3a9c2e7b1d4860';
  const signed = await signWebhook({ body, secret });
  // Headers as Node provides them, including typical proxy headers.
  const headers = {
    host: 'hooks.example.com',
    connection: 'keep-alive',
    'content-length': String(body.length),
    'x-forwarded-for': '192.0.2.1',
    'x-forwarded-proto': 'https',
    ...Object.fromEntries(Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value])),
  };
  const timestamp = signed['X-Service-Timestamp'] ?? '';
  const signature = Buffer.from(signed['X-Service-Signature']?.slice('sha256='.length) ?? '', 'hex');
  const verify: Subject = { name: 'verifyWebhook', run: () => verifyWebhook({ body, headers, secret }) };
  const base: Subject = { name: 'bare', run: () => Promise.resolve(bare(body, timestamp, signature, secret)) };
  const size = `${(body.length / 1000).toFixed(1)} kB`;

  const atOnce = 32;
  const together = ({ name, run }: Subject): Subject => ({
    name,
    run: () => Promise.all(Array.from({ length: atOnce }, run)),
  });
  const many = await interleave([base, verify].map(together), { times: 15 });
  const single = await interleave([base, verify], { times: 300 });
  return [
    row(`verifyWebhook, ${size}, ${String(atOnce)} at once, over node:crypto HMAC and JSON.parse`, many, atOnce),
    row(`verifyWebhook, ${size}, one by one`, single, 1),
  ];
}

function row(what: string, times: Times, per: number): Row {
  const detail = [...times].map(([name, taken]) => `${name} ${ms(median(taken) / per)}`).join(', ');
  return { what, found: `${ratio(times, 'verifyWebhook', 'bare').toFixed(2)} ×`, detail };
}
