import type { DemoSeed } from '../../index.js';
import type { Flags } from './flags.js';

/** What the command says at its start, line by line. */
export function banner(url: string, flags: Flags, demo: DemoSeed | undefined): string[] {
  const { accessKey, quiet, console, host } = flags;
  const lines = [`The emulator answers at ${url}`, `Access key: ${accessKey}`];
  if (!/^(?:localhost$|127\.|::1$)/.test(host))
    lines.push(
      `It listens on ${host}: whoever reaches this computer there reaches it${console ? ', the control API without a key' : ''}.`,
    );
  if (demo !== undefined) {
    const { integrations, posts, conversations, automations, selections } = demo;
    lines.push(
      `Demo data: ${String(integrations.length)} integrations, ${String(posts.length)} posts, ${String(conversations.length)} conversations, ${String(automations.length)} automations`,
      `Selection tokens: facebook ${selections.facebook}, instagram ${selections.instagram}`,
    );
  }
  if (!quiet) {
    if (console) lines.push(`Console: ${url}/  Control API: ${url}/_emulator/openapi.json`);
    lines.push('', ...program(url, accessKey), '');
  }
  return [...lines, 'Press Ctrl-C to stop.'];
}

/** The three lines that a program needs. */
function program(url: string, accessKey: string): string[] {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  return [
    "  import { SocialPublishing } from 'social-publishing';",
    `  const client = new SocialPublishing({ baseUrl: ${quoted(url)}, accessKey: ${quoted(accessKey)} });`,
    '  for await (const post of client.posts.list()) console.log(post.status, post.content);',
  ];
}
