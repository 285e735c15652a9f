// Calls of each class, each on a connection that fails (raw-server.mjs). It runs in any JavaScript runtime, see smoke.mjs.
import { SocialPublishing } from 'social-publishing';

const faults = ['close', 'reset', 'half-close', 'delay', 'cut-head', 'cut-body', '401', '421', '408'];
const calls = {
  'posts.list': (client) => client.posts.list({ limit: 1 }),
  'integrations.update': (client) => client.integrations.update('int_1', { profileId: 'profile_1' }),
  'posts.create': (client) => client.posts.create({ content: 'Hello', saveAsDraft: true }),
  'messages.send': (client) =>
    client.messages.send({ platform: 'instagram', accountId: 'int_1', recipientId: 'user_1', text: 'Hello' }),
  'posts.updateScheduled': (client) => client.posts.updateScheduled('post_1', { content: 'Hello' }),
  'analytics.getPost': (client) => client.analytics.getPost('post_1'),
};

/** Returns the attempts and the outcome of each case, as the client reports them. */
export default async function border({ baseUrl }) {
  const cases = [];
  for (const fault of faults) {
    for (const [call, send] of Object.entries(calls)) {
      const ends = [];
      const client = new SocialPublishing({
        baseUrl: new URL(`${fault}.${call}`, baseUrl),
        accessKey: null,
        maxRetries: 0,
        timeoutMs: 20_000,
        hooks: { onEnd: ({ attempts, error }) => ends.push({ attempts, outcome: error?.outcome ?? 'resolved' }) },
      });
      // Both leave an idle connection, unless the runtime or the client prevents it.
      await Promise.resolve(send(client)).catch(() => undefined);
      await (await fetch(baseUrl)).text();
      await Promise.resolve(send(client)).catch(() => undefined);
      cases.push({ fault, call, ...ends[1] });
    }
  }
  return { cases, counts: await (await fetch(new URL('counts', baseUrl))).json() };
}
