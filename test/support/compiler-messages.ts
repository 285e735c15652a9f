/** A mistake in a caller's program, and the required parts of the compiler's message. */
interface Mistake {
  readonly name: string;
  readonly code: string;
  /** The required text of every supported compiler. */
  readonly says: RegExp;
  /** The text may follow the first line. */
  readonly later?: true;
}

const platforms = "platforms: [{ platform: 'bluesky', accountId: 'integration_1' }]";

export const mistakes: readonly Mistake[] = [
  {
    name: 'a misspelt field',
    code: `client.posts.create({ contnt: 'Hi', publishNow: true, ${platforms} })`,
    says: /"'contnt' is not a field of a post\. Did you mean 'content'\? Pass other fields as extraBody/,
  },
  {
    name: 'a misspelt field that is required',
    code: `client.posts.create({ content: 'Hi', publishNow: true, platfroms: ['a'] })`,
    says: /"'platfroms' is not a field of a post\. Did you mean 'platforms'\? Pass other fields as extraBody/,
  },
  {
    name: 'a field of extraBody',
    code: `client.posts.create({ content: 'Hi', publishNow: true, ${platforms}, mediaItems: [{ url: 'a' }] })`,
    says: /"'mediaItems' is not a field of a post\. Pass other fields as extraBody\."/,
  },
  {
    name: 'two modes',
    code: `client.posts.create({ content: 'Hi', publishNow: true, scheduledFor: new Date(), ${platforms} })`,
    says: /"scheduledFor cannot be combined with publishNow\. Omit one of them: a post has one mode\."/,
  },
  {
    name: 'a draft to publish now',
    code: `client.posts.create({ content: 'Hi', publishNow: true, saveAsDraft: true, ${platforms} })`,
    says: /"publishNow cannot be combined with saveAsDraft\. /,
  },
  {
    name: 'a draft to schedule',
    code: `client.posts.create({ scheduledFor: '2027-01-01T09:00:00Z', saveAsDraft: true })`,
    says: /"scheduledFor cannot be combined with saveAsDraft\. /,
  },
  {
    name: 'no mode',
    code: `client.posts.create({ content: 'Hi', ${platforms} })`,
    says: /"scheduledFor is required, or publishNow: true, or saveAsDraft: true\."/,
  },
  {
    name: 'a target without accountId',
    code: `client.posts.create({ content: 'Hi', publishNow: true, platforms: [{ platform: 'bluesky' }] })`,
    says: /Property 'accountId' is missing in type .* but required in type 'PostTargetInput'/,
  },
  {
    name: 'a misspelt field of a target',
    code: `client.posts.create({ publishNow: true, platforms: [{ platform: 'bluesky', acountId: 'a' }] })`,
    says: /'acountId' does not exist in type 'PostTargetInput'\. Did you mean to write 'accountId'\?/,
  },
  {
    name: 'a field that no target has',
    code: `client.posts.create({ publishNow: true, platforms: [{ platform: 'bluesky', accountId: 'a', text: 'x' }] })`,
    says: /"'text' is not a field of a target\. Pass targets with other fields as extraBody/,
  },
  {
    name: 'an unknown platform',
    code: `client.posts.create({ publishNow: true, platforms: [{ platform: 'blusky', accountId: 'a' }] })`,
    says: /'"blusky"' is not assignable to type 'KnownPlatform'\. Did you mean '"bluesky"'\?/,
  },
  {
    name: 'publishNow without platforms',
    code: `client.posts.create({ content: 'Hi', publishNow: true })`,
    says: /"platforms is required with publishNow: pass at least one { platform, accountId }\."/,
  },
  {
    name: 'scheduledFor without platforms',
    code: `client.posts.create({ content: 'Hi', scheduledFor: '2027-01-01T09:00:00Z' })`,
    says: /"platforms is required with scheduledFor: pass at least one { platform, accountId }\."/,
  },
  {
    name: 'two modes, with an empty list of targets',
    code: `client.posts.create({ content: 'Hi', publishNow: true, scheduledFor: new Date(), platforms: [] })`,
    says: /"scheduledFor cannot be combined with publishNow\. /,
  },
  {
    name: 'a misspelt field in a variable',
    code: `client.posts.create(withMisspeltField)`,
    says: /"'contnt' is not a field of a post\. Did you mean 'content'\?/,
  },
  {
    name: 'a misspelt field of one of many',
    code: `client.posts.createMany([{ contnt: 'Hi', publishNow: true, ${platforms} }])`,
    says: /"'contnt' is not a field of a post\. Did you mean 'content'\?/,
  },
  {
    name: 'a misspelt field of an intent',
    code: `publisher.publish('key', { contnt: 'Hi', publishNow: true, ${platforms} })`,
    says: /"'contnt' is not a field of a post\. Did you mean 'content'\?/,
  },
  {
    name: 'two modes of one of many intents',
    code: `publisher.publishMany([{ key: 'key', body: { publishNow: true, scheduledFor: new Date(), ${platforms} } }])`,
    says: /"scheduledFor cannot be combined with publishNow\. /,
  },
  {
    name: 'the reply to a create in place of a listed post',
    code: `retryFailed(created)`,
    says: /"Pass a listed post, for example from posts\.waitUntilFinal, not the reply to a create\."/,
    later: true,
  },
  {
    name: 'a misspelt field of a query',
    code: `client.posts.list({ stats: 'draft' })`,
    says: /'stats' does not exist in type 'ListPostsQuery'\. Did you mean to write 'status'\?/,
  },
  {
    name: 'a list made by hand',
    code: `new Paginator()`,
    says: /Constructor of class 'Paginator<Item, Response>' is private/,
  },
];

const head = `import { Paginator, retryFailed, type CreatePostResponse, type SocialPublishing } from 'social-publishing';
import type { Publisher } from 'social-publishing/publisher';
declare const client: SocialPublishing;
declare const publisher: Publisher;
declare const created: CreatePostResponse;
const withMisspeltField = { contnt: 'Hi', publishNow: true, ${platforms} };
`;

/** A program with one mistake a line. */
export const program = head + mistakes.map(({ code }) => `void ${code};\n`).join('');

const firstLine = head.split('\n').length;

/** An error of the compiler: its line, from 1, and its whole text. */
export interface CompilerError {
  readonly line: number;
  readonly text: string;
}

/** Returns a complaint for each mistake that has another number of errors than one, or whose message does not help. */
export function complaints(errors: readonly CompilerError[]): string[] {
  return mistakes.flatMap(({ name, says, later }, index) => {
    const texts = errors.filter(({ line }) => line === firstLine + index).map(({ text }) => text);
    const [text = 'compiles'] = texts;
    if (texts.length > 1) return [`${name} has ${String(texts.length)} errors: ${texts.join('\n')}`];
    if (!says.test(later ? text : text.replace(/\n.*/s, ''))) return [`${name}: ${text}`];
    return /\bnever\b|to type 'undefined'/.test(text) ? [`${name} says never or undefined: ${text}`] : [];
  });
}

/** Reads what `tsc --pretty false` printed. */
export function readErrors(printed: string): CompilerError[] {
  return printed.split(/^(?=\S)/m).flatMap((text) => {
    const [, line] = /^[^(\n]+\((\d+),\d+\): error /.exec(text) ?? [];
    return line === undefined ? [] : [{ line: Number(line), text }];
  });
}
