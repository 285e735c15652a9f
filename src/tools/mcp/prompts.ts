import * as z from 'zod/mini';
import type { McpServer } from '@modelcontextprotocol/server';
import { inputForms } from '../input-schema.js';

const text = () => z.optional(z.string());

export function registerPrompts(server: McpServer): void {
  const campaign = inputForms({
    goal: { schema: z.string().check(z.minLength(1)), description: 'The goal of the campaign.' },
    start: { schema: text(), description: 'The first day, YYYY-MM-DD. Default: tomorrow.' },
    posts: { schema: text(), description: 'How many posts, a whole number. Default: 5.' },
  });
  server.registerPrompt(
    'plan_campaign',
    {
      title: 'Plan a campaign',
      description: 'Plans a series of posts, shows them for review, and then creates each under its own key.',
      argsSchema: campaign.inputSchema,
    },
    ({ goal, start, posts }) => userMessage(planCampaign(String(goal), textOr(start, 'tomorrow'), textOr(posts, '5'))),
  );
  const failure = inputForms({
    post: { schema: z.string().check(z.minLength(1)), description: 'The key or the ID of the post.' },
  });
  server.registerPrompt(
    'why_did_it_fail',
    {
      title: 'Why did it fail?',
      description: 'Finds out why a post failed or is held, and proposes what to do.',
      argsSchema: failure.inputSchema,
    },
    ({ post }) => userMessage(whyDidItFail(String(post))),
  );
}

function textOr(value: unknown, other: string): string {
  return typeof value === 'string' && value !== '' ? value : other;
}

function userMessage(text: string) {
  return { messages: [{ role: 'user' as const, content: { type: 'text' as const, text } }] };
}

const planCampaign = (goal: string, start: string, posts: string) => `Plan a campaign.

Goal: ${goal}
First day: ${start}
Number of posts: ${posts}

1. Call list_accounts and accounts_needing_attention.
2. Propose the posts as a table: key, day and time, accounts, text. Use a separate key for each post, for example campaign/1.
3. Wait for my answer. Then call preview_post for each post and show me what would be sent.
4. Create each post with create_post under its key. If a call fails, repeat it with the same key.
5. Report a table of keys, states and times.`;

const whyDidItFail = (post: string) => `Find out why a post was not published: ${post}

1. Call get_post with this text as key. If nothing is found, call it with the text as postId.
2. If the post is in doubt, call list_held_posts and explain the evidence. Do not send it again.
3. If targets failed, report the error of each target, and check the accounts with accounts_needing_attention.
4. Propose what to do. Call retry_failed_targets or resolve_post only after I agree.`;
