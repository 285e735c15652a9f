/** Options of intents that wait for their send. The compiler checks this file. */
import type { CreatePostBody } from '../../src/index.js';
import type { Intent, Publisher } from '../../src/publisher/index.js';

declare const publisher: Publisher;
declare const body: CreatePostBody;

export async function waits(form: { content: string; saveAsDraft: boolean }): Promise<string | undefined> {
  const intent: Intent = await publisher.publish('k', body, { sendAheadMs: 60_000 });
  await publisher.enqueue('k', body, { sendAheadMs: Infinity });
  await publisher.edit('k', body);
  await publisher.edit('k', form, { extraBody: { timezone: 'UTC' }, sendAheadMs: undefined });
  await publisher.cancel('k');
  await publisher.sweep({ send: false, limit: 1 });
  publisher.publishMany([{ key: 'k', body, sendAheadMs: 60_000 }]);
  // @ts-expect-error milliseconds are a number
  await publisher.edit('k', body, { sendAheadMs: '10m' });
  // @ts-expect-error a misspelt field of a post
  await publisher.edit('k', { contnt: 'Hello', saveAsDraft: true });
  return intent.sendAt;
}
