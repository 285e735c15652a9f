import { existsSync, readFileSync } from 'node:fs';

/** The guides in the order of a user's first month, in the groups of the site's sidebar. */
const order: Readonly<Record<string, readonly string[]>> = {
  Start: ['first-post', 'which-piece', 'testing', 'emulator', 'console'],
  Publish: ['scheduling', 'media-and-extras', 'results', 'errors', 'rate-limits', 'durable', 'stores'],
  Receive: ['webhooks', 'comments-automations-messages'],
  Read: ['accounts', 'lists', 'analytics', 'query'],
  Operate: [
    'hosting',
    'engines',
    'logging',
    'security',
    'browser',
    'proxies',
    'cli',
    'agents',
    'runtimes',
    'performance',
    'durable-tests',
  ],
  'Look up': ['examples', 'client', 'control-api', 'troubleshooting', 'faq', 'migrating', 'upgrading'],
};

export interface Guide {
  /** The name of its file, without `.md`. */
  readonly name: string;
  readonly path: string;
  readonly title: string;
  /** Its first sentence. */
  readonly summary: string;
  readonly text: string;
}

/** The existing guides by group. */
export function readGuides(): ReadonlyMap<string, readonly Guide[]> {
  return new Map(
    Object.entries(order).map(([heading, names]) => [
      heading,
      names.filter((name) => existsSync(`docs/${name}.md`)).map(readGuide),
    ]),
  );
}

export function readGuide(name: string): Guide {
  const path = `docs/${name}.md`;
  const text = readFileSync(path, 'utf8');
  const [, title] = /^# (.+)$/m.exec(text) ?? [];
  if (title === undefined) throw new Error(`${path} has no title.`);
  return { name, path, title, summary: firstSentence(text), text };
}

/** The first sentence below the title, in one line and without links. */
function firstSentence(text: string): string {
  const paragraphs = text.split(/\n{2,}/).slice(1);
  const line = (paragraphs.find((paragraph) => !/^(?:[#|<-]|```)/.test(paragraph)) ?? '')
    .replace(/\s+/g, ' ')
    .replace(/\[([^\]]+)\]\([^)]+\)/g, '$1');
  return /^.*?\.(?= |$)/.exec(line)?.[0] ?? line.replace(/:$/, '.');
}
