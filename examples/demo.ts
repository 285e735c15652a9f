/**
 * The main job of the SDK, between three parties on real sockets: the emulator of the service, a small receiver of
 * webhooks, and a script that uses the client as a program would.
 *
 * npm run demo
 *
 * `npm run demo -- --console` leaves the emulator running with its console open, including the results; `--fast` skips
 * the pauses for readers.
 *
 * With SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY set, `npm run demo -- --live` runs against a real
 * service and only reads.
 */
import { SocialPublishing, SocialPublishingError, targetResults, type Post } from 'social-publishing';
import { showConsole } from './demo/console.js';
import { bold, chart, dim, green, heading, line, red, table, yellow } from './demo/print.js';
import { accessKey, letTheWorldReact, startStage, type Stage } from './demo/stage.js';

const longestMs = 18_000;

async function demo(): Promise<void> {
  const stage = await startStage();
  try {
    await tell(stage);
    line('');
    line('See all of it in a browser, and go on from there:  npm run demo -- --console');
  } finally {
    await stage.close();
  }
}

/** Runs the demo step by step. */
async function tell({ service, served, receiver, tiktok, facebookToken, instagramToken }: Stage): Promise<void> {
  console.log(bold('social-publishing: connect, publish, listen, answer, measure'));
  line(dim(`the service (emulator)  ${served.url}`));
  line(dim(`a webhook receiver      ${receiver.url}`));
  const client = new SocialPublishing({ baseUrl: served.url, accessKey });

  await heading('Finish the Facebook and Instagram selections');
  const pages = await client.integrations.selectFacebookPages(facebookToken, { selectedAccountIds: ['page_1'] });
  const accounts = await client.integrations.selectInstagramAccounts(instagramToken, {
    selectedAccountIds: ['ig_1'],
  });
  const [facebook] = pages.integrations;
  const [instagram] = accounts.integrations;
  if (facebook === undefined || instagram === undefined) throw new Error('the selections returned no integration');
  line(
    `saved ${String(pages.integrations.length)} of 2 Pages and ${String(accounts.integrations.length)} Instagram account`,
  );

  await heading('List the integrations');
  const rows: string[][] = [];
  for await (const { id, platform = '', username = '', authStatus = '' } of client.integrations.list()) {
    rows.push([platform, `@${username}`, authStatus, id]);
  }
  table(rows);

  await heading('Save a draft');
  const draft = await client.posts.create({ content: 'Ideas for spring', saveAsDraft: true });
  line(`${draft.postId}: ${String(draft.status)}`);

  await heading('Subscribe a webhook');
  const subscription = await client.notifications.create({
    channel: 'webhook',
    eventTypes: ['post.scheduled', 'post.published', 'post.partial', 'post.failed'],
    webhook: { url: receiver.url },
  });
  receiver.secret = subscription.webhook?.secret;
  line(`${subscription.id} notifies ${receiver.url} of ${String(subscription.eventTypes?.length)} event types`);

  await heading('Schedule a post for three platforms');
  const scheduledFor = new Date(service.clock.now() + 2 * 3_600_000);
  const created = await client.posts.create({
    content: 'The blue one is back.',
    platforms: [
      { platform: 'instagram', accountId: instagram.id },
      { platform: 'facebook', accountId: facebook.id },
      { platform: 'tiktok', accountId: tiktok.id },
    ],
    scheduledFor,
  });
  line(`${created.postId}: ${String(created.status)} for ${scheduledFor.toISOString()}`);

  await heading('Let two hours pass');
  await service.clock.advance({ hours: 2, minutes: 1 });
  for (const event of receiver.events) {
    line(`${green('verified')} ${event.type}  ${dim(event.id ?? '')}`);
  }
  if (receiver.refused.length > 0) throw new Error(`the receiver refused a delivery: ${receiver.refused.join(', ')}`);
  const types = receiver.events.map(({ type }) => type).join(', ');
  if (types !== 'post.scheduled, post.partial')
    throw new Error(`expected post.scheduled and post.partial, got ${types}`);

  await heading("Read the targets' verdicts");
  const [post] = await client.posts.list({ status: 'partial' }).toArray({ maxItems: 1 });
  if (post === undefined) throw new Error('the post is not listed');
  showTargets(post);
  const platformPostId = post.platforms?.find(({ platform }) => platform === 'instagram')?.platformPostId ?? '';

  letTheWorldReact(service, instagram.id, post.postId, platformPostId);
  await service.clock.advance({ minutes: 5 });

  await heading('Walk two pages of comments');
  let pageNumber = 0;
  for await (const page of client.comments
    .list({ platform: 'instagram', accountId: instagram.id, postId: platformPostId, limit: 3 })
    .pages()) {
    pageNumber += 1;
    line(dim(`page ${String(pageNumber)}`));
    for (const comment of page.items) {
      line(`${comment.author?.name ?? ''}: ${comment.text ?? ''}`);
      for (const reply of comment.replies ?? []) line(`  ↳ ${reply.author?.name ?? ''}: ${reply.text ?? ''}`);
    }
  }

  await heading('Answer a direct message');
  const inbox = await client.messages.listConversations({ platform: 'instagram', accountId: instagram.id });
  const [conversation] = inbox.items;
  const customer = conversation?.participants?.find(({ id }) => id !== inbox.response.selfId);
  if (conversation === undefined || customer?.id === undefined) throw new Error('there is no conversation');
  await client.messages.send({
    platform: 'instagram',
    accountId: instagram.id,
    recipientId: customer.id,
    text: 'It is. Shall we put one aside?',
  });
  const messages = await client.messages
    .list(conversation.id, { platform: 'instagram', accountId: instagram.id })
    .toArray();
  messages.sort((a, b) => Date.parse(a.timestamp ?? '') - Date.parse(b.timestamp ?? ''));
  for (const message of messages) line(`${message.from?.name ?? ''}: ${message.text ?? ''}`);

  await heading('Automate the answer to a keyword');
  const automation = await client.automations.create({
    accountId: instagram.id,
    name: 'Blue one',
    postScope: 'any',
    keywords: ['blue'],
    publicReplies: ['Sent you a message!'],
    dmMessage: 'Here it is: https://acme.example/blue',
  });
  service.seed.automationLog({
    automationId: automation.id,
    commentText: 'blue',
    commenterName: 'Kim',
    publicReplyStatus: 'sent',
    privateReplySent: true,
  });
  for await (const log of client.automations.listLogs(automation.id)) {
    line(
      `"${log.commentText ?? ''}" of ${log.commenterName ?? ''}: public reply ${log.publicReplyStatus ?? 'none'}, message ${log.privateReplySent === true ? 'sent' : 'not sent'}`,
    );
  }

  await heading('Read the figures of the post');
  const { aggregated = {} } = await client.analytics.getPost(post.postId);
  table(Object.entries(aggregated).map(([name, value]) => [name, String(value).padStart(6)]));

  await heading('Reach over 30 days');
  const insights = await client.analytics.getInstagramInsights({
    accountId: instagram.id,
    metrics: ['reach'],
    metricType: 'time_series',
  });
  chart((insights.metrics['reach']?.values ?? []).map(({ date = '', value = 0 }) => ({ date, value })));

  await heading('Credits');
  line(`this client used ${String(client.creditsUsed)}, the service counted ${String(service.creditsUsed)}`);
}

/** Runs against a real service: reads only. */
async function liveDemo(): Promise<void> {
  console.log(bold('social-publishing against a real service'));
  line('This only reads: integrations, and the newest posts. It publishes nothing and costs no credits.');
  const client = new SocialPublishing();

  await heading('Integrations');
  const integrations = await client.integrations.list().toArray({ maxItems: 20 });
  table(
    integrations.map(({ platform = '', username = '', authStatus = '', id }) => [
      platform,
      `@${username}`,
      authStatus,
      id,
    ]),
  );
  if (integrations.length === 0) line('none');

  await heading('Posts');
  const posts = await client.posts.list({ limit: 5 });
  line(`${String(posts.response.total ?? 'an unknown number')} in all`);
  for (const post of posts.items) {
    line(`${post.postId}: ${String(post.status)}  ${dim((post.content ?? '').slice(0, 60))}`);
    showTargets(post);
  }
  line(`credits used: ${String(client.creditsUsed)}`);
}

function showTargets(post: Post): void {
  const { published, warned, failed, pending } = targetResults(post);
  for (const { platform, url } of published) line(`${green('published')} ${String(platform)}  ${dim(url ?? '')}`);
  for (const { platform, warning } of warned) line(`${yellow('warning')}   ${String(platform)}: ${warning ?? ''}`);
  for (const { platform, error } of failed) line(`${red('failed')}    ${String(platform)}: ${error ?? ''}`);
  for (const { platform } of pending) line(`pending   ${String(platform)}`);
}

const isLive = process.argv.includes('--live');
const withConsole = process.argv.includes('--console') && !isLive;

const guard = setTimeout(() => {
  console.error(red(`\nThe demo did not end within ${String(longestMs / 1_000)} seconds.`));
  process.exit(1);
}, longestMs);

try {
  if (withConsole) {
    // The user may explore as long as they like.
    clearTimeout(guard);
    await showConsole(tell);
  } else await (isLive ? liveDemo() : demo());
  console.log(green('\nDone.'));
} catch (error) {
  console.error(red(`\nThe demo failed: ${error instanceof Error ? error.message : String(error)}`));
  if (error instanceof SocialPublishingError) console.error(`Outcome of the call: ${error.outcome}`);
  process.exitCode = 1;
} finally {
  clearTimeout(guard);
}
