import type { ToolResult } from '../../src/tools/index.js';
import { inMinutes, type ToolWorld } from './world.js';

/** Calls each of the 19 tools once, so that it has something to show. Returns the results by tool. */
export async function callEveryTool(world: ToolWorld): Promise<Record<string, ToolResult>> {
  const { service, instagram, tiktok } = world;
  const participant = { id: 'participant_1', name: 'Ada', username: 'ada' };
  service.seed.comment({ accountId: instagram, postId: 'p1', text: 'Nice!', author: participant });
  const { id: conversationId } = service.seed.conversation({ accountId: instagram, participants: [participant] });
  service.seed.message({ accountId: instagram, conversationId, text: 'Hello?', from: participant });
  service.seed.integration({ platform: 'linkedin', displayName: 'Old', authStatus: 'expired' });
  service.publishing.outcome({ platform: 'tiktok', error: 'The platform refused it.' });
  const agent = world.agent({ mode: 'publish', maxCredits: 100, approve: () => true });
  const results: Record<string, ToolResult> = {};
  const call = async (name: string, input: object = {}) => (results[name] = await agent(name, input));
  const post = { content: 'Hello', mode: 'publish', accountIds: [instagram, tiktok] };

  await call('list_accounts');
  await call('accounts_needing_attention');
  await call('preview_post', { ...post, key: 'shown' });
  const created = await call('create_post', { ...post, key: 'both' });
  await world.pass(2);
  await call('wait_for_post', { key: 'both', seconds: 0 });
  await call('retry_failed_targets', { key: 'both', retryKey: 'both/retry' });
  service.faults.add({ kind: 'reset_before', route: 'POST /v1/posts/', times: 1 });
  await agent('create_post', { ...post, mode: 'schedule', scheduledFor: inMinutes(90), key: 'lost' });
  await call('list_held_posts');
  await call('resolve_post', { key: 'lost', as: 'abandoned' });
  const later = { content: 'Later', mode: 'schedule', scheduledFor: inMinutes(90), accountIds: [instagram] };
  const planned = await agent('create_post', { ...later, key: 'later' });
  await call('edit_post', { postId: planned.data?.['postId'], content: 'Changed' });
  service.faults.add({ kind: 'status', status: 429, route: 'POST /v1/posts/', times: 1 });
  await agent('create_post', { ...later, key: 'busy' });
  await call('cancel_post', { key: 'busy' });
  await call('list_posts');
  await call('get_post', { key: 'both' });
  await call('list_comments', { accountId: instagram, postId: 'p1' });
  await call('list_conversations', { accountId: instagram });
  await call('list_messages', { accountId: instagram, conversationId });
  await call('send_message', { key: 'm', accountId: instagram, recipientId: participant.id, text: 'Hi' });
  await call('create_automation', { key: 'a', accountId: instagram, name: 'Price', keywords: ['price'] });
  await call('post_analytics', { postId: created.data?.['postId'] });
  await call('account_insights', { accountId: instagram });
  return results;
}
