import { isLoopback } from '../../../core/loopback.js';
import type { DemoSeed } from '../../index.js';
import type { Flags } from './flags.js';

interface Started {
  readonly url: string;
  readonly accessKey: string;
  readonly flags: Flags;
  readonly demo: DemoSeed | undefined;
}

export function banner({ url, accessKey, flags, demo }: Started): string[] {
  const { quiet, console, host } = flags;
  const lines = [`The emulator answers at ${url}`, `Access key: ${accessKey}`];
  if (!isLoopback(host))
    lines.push(
      `It listens on ${host}: everyone on this network can call it${console ? ', and its control API without a key' : ''}.`,
    );
  if (quiet) return lines;
  if (demo !== undefined) {
    const { integrations, posts, conversations, automations, selections } = demo;
    lines.push(
      `Demo data: ${String(integrations.length)} integrations, ${String(posts.length)} posts, ${String(conversations.length)} conversations, ${String(automations.length)} automations`,
      `Selection tokens: facebook ${selections.facebook}, instagram ${selections.instagram}`,
    );
  }
  if (console) lines.push(`Console: ${url}/  Control API: ${url}/_emulator/openapi.json`);
  if (flags.stateFile === undefined)
    lines.push(
      'Without --state, each start uses the same post IDs again. After each start, pass a new --store to the command publish.',
    );
  return [...lines, '', ...program(url, accessKey), '', 'Press Ctrl-C to stop.'];
}

function program(url: string, accessKey: string): string[] {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  return [
    "  import { SocialPublishing } from 'social-publishing';",
    `  const client = new SocialPublishing({ baseUrl: ${quoted(url)}, accessKey: ${quoted(accessKey)} });`,
    '  for await (const post of client.posts.list()) console.log(post.status, post.content);',
  ];
}
