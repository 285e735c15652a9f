/** A mistake in a caller's program, and the required parts of the compiler's message. */
interface Mistake {
  readonly name: string;
  readonly code: string;
  /** The required text of every supported compiler. */
  readonly says: readonly RegExp[];
}

const platforms = "platforms: [{ platform: 'bluesky', accountId: 'integration_1' }]";

export const mistakes: readonly Mistake[] = [
  {
    name: 'a misspelt field',
    code: `client.posts.create({ contnt: 'Hi', publishNow: true, ${platforms} })`,
    says: [/'contnt' does not exist in type 'PublishPostBody'\. Did you mean to write 'content'\?/],
  },
  {
    name: 'a field of extraBody',
    code: `client.posts.create({ content: 'Hi', publishNow: true, ${platforms}, mediaItems: [{ url: 'a' }] })`,
    says: [/'mediaItems' does not exist in type 'PublishPostBody'/],
  },
  {
    name: 'two modes',
    code: `client.posts.create({ content: 'Hi', publishNow: true, scheduledFor: new Date(), ${platforms} })`,
    says: [/Types of property 'scheduledFor' are incompatible/, /'Date' is not assignable to type 'undefined'/],
  },
  {
    name: 'a draft to publish now',
    code: `client.posts.create({ content: 'Hi', publishNow: true, saveAsDraft: true, ${platforms} })`,
    says: [/Types of property 'saveAsDraft' are incompatible/],
  },
  {
    name: 'no mode',
    code: `client.posts.create({ content: 'Hi', ${platforms} })`,
    // Which mode the compiler compares with depends on the order in which it met the types.
    says: [/Property '(scheduledFor|publishNow)' is missing/],
  },
  {
    name: 'a target without accountId',
    code: `client.posts.create({ content: 'Hi', publishNow: true, platforms: [{ platform: 'bluesky' }] })`,
    says: [/Property 'accountId' is missing in type .* but required in type 'PostTargetInput'/],
  },
  {
    name: 'a misspelt field of a target',
    code: `client.posts.create({ publishNow: true, platforms: [{ platform: 'bluesky', acountId: 'a' }] })`,
    says: [/'acountId' does not exist in type 'PostTargetInput'\. Did you mean to write 'accountId'\?/],
  },
  {
    name: 'an unknown platform',
    code: `client.posts.create({ publishNow: true, platforms: [{ platform: 'myspace', accountId: 'a' }] })`,
    says: [/'"myspace"' is not assignable to type 'KnownPlatform'/],
  },
  {
    name: 'publishNow without platforms',
    code: `client.posts.create({ content: 'Hi', publishNow: true })`,
    says: [/Property 'platforms' is missing .* but required in type 'PublishPostBody'/],
  },
  {
    name: 'scheduledFor without platforms',
    code: `client.posts.create({ content: 'Hi', scheduledFor: '2027-01-01T09:00:00Z' })`,
    says: [/Property 'platforms' is missing .* but required in type 'SchedulePostBody'/],
  },
  {
    name: 'a misspelt field in a variable',
    code: `client.posts.create(withMisspeltField)`,
    says: [/contnt: string/],
  },
  {
    name: 'a misspelt field of one of many',
    code: `client.posts.createMany([{ contnt: 'Hi', publishNow: true, ${platforms} }])`,
    says: [/'contnt' does not exist in type/],
  },
  {
    name: 'a misspelt field of an intent',
    code: `publisher.publish('key', { contnt: 'Hi', publishNow: true, ${platforms} })`,
    says: [/'contnt' does not exist in type 'PublishPostBody'\. Did you mean to write 'content'\?/],
  },
  {
    name: 'the reply to a create in place of a listed post',
    code: `retryFailed(created)`,
    says: [/"Pass a listed post, for example from posts\.waitUntilFinal, not the reply to a create\."/],
  },
  {
    name: 'a misspelt field of a query',
    code: `client.posts.list({ stats: 'draft' })`,
    says: [/'stats' does not exist in type 'ListPostsQuery'\. Did you mean to write 'status'\?/],
  },
  {
    name: 'a list made by hand',
    code: `new Paginator()`,
    says: [/Constructor of class 'Paginator<Item, Response>' is private/],
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

/** Returns a complaint for each mistake whose message is missing or does not help. */
export function complaints(errors: readonly CompilerError[]): string[] {
  return mistakes.flatMap(({ name, says }, index) => {
    const text = errors
      .filter(({ line }) => line === firstLine + index)
      .map((error) => error.text)
      .join('\n');
    if (says.some((part) => !part.test(text))) return [`${name}: ${text || 'compiles'}`];
    return /\bnever\b/.test(text) ? [`${name} says never: ${text}`] : [];
  });
}

/** Reads what `tsc --pretty false` printed. */
export function readErrors(printed: string): CompilerError[] {
  return printed.split(/^(?=\S)/m).flatMap((text) => {
    const [, line] = /^[^(\n]+\((\d+),\d+\): error /.exec(text) ?? [];
    return line === undefined ? [] : [{ line: Number(line), text }];
  });
}
