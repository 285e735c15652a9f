// The smoke suite: typical first steps of a caller, in code that runs in any JavaScript runtime. It is copied next to
// the installed package, bundled if the runtime needs that, and receives the address of a served emulator.
import * as main from 'social-publishing';
import * as webhooks from 'social-publishing/webhooks';

/**
 * @param {{ baseUrl: string, accessKey: string | null }} options `accessKey` null: the server behind `baseUrl` adds it
 * @returns {Promise<string[]>} the steps, one line each; rejects at the first failure
 */
export default async function smoke(options) {
  const done = [];
  const client = new main.SocialPublishing({ ...options, maxRetries: 0 });

  const created = [];
  for (const content of ['one', 'two', 'three']) {
    const { postId } = await client.posts.create({ content, saveAsDraft: true });
    created.push(postId);
  }
  done.push('create');

  const listed = [];
  let pages = 0;
  for await (const page of client.posts.list({ limit: 2 }).pages()) {
    pages += 1;
    listed.push(...page.items.map((post) => post.postId));
  }
  check(pages > 1, 'the list has several pages');
  check(
    created.every((id) => listed.includes(id)),
    'every created post is listed',
  );
  check(new Set(listed).size === listed.length, 'no post is listed twice');
  done.push('list over pages');

  const missing = await rejection(client.integrations.get('no-such-integration'));
  check(missing instanceof main.ApiError && missing.outcome === 'rejected', 'an unknown ID is an ApiError');
  const invalid = await rejection(client.posts.list({ limit: 1000 }));
  check(invalid instanceof main.InvalidRequestError && invalid.issues[0].path[0] === 'limit', 'bad input is not sent');
  const aborted = await rejection(client.posts.list({}, { signal: AbortSignal.abort(new Error('stop')) }).toArray());
  check(aborted.message === 'stop', 'an abort rejects with its reason');
  done.push('errors');

  const secret = 'a-signing-secret';
  const body = JSON.stringify({
    id: 'event_1',
    type: 'post.published',
    data: { post: { id: 'post_1', content: 'Grüße 🌍' }, platforms: [] },
  });
  const headers = await webhooks.signWebhook({ body, secret });
  const event = await webhooks.verifyWebhook({ body: new TextEncoder().encode(body), headers, secret });
  check(event.type === 'post.published' && event.data.post.content === 'Grüße 🌍', 'a signed event is read');
  const forged = await rejection(webhooks.verifyWebhook({ body: body.replace('🌍', '🌎'), headers, secret }));
  check(forged instanceof main.WebhookVerificationError, 'both entries have the same error class');
  check(forged.code === 'signature_mismatch', 'a changed body is refused');
  done.push('verify a webhook');
  return done;
}

function check(holds, what) {
  if (!holds) throw new Error(`It does not hold that ${what}.`);
}

async function rejection(promise) {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('A call that must be refused was not.');
}
