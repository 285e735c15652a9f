/** docs/troubleshooting.md quotes messages of the package: each is one, and none is left out. */
import { describe, expect, it } from 'vitest';
import { SocialPublishing } from '../src/index.js';
import { readDocument } from './support/docs-blocks.js';
import { readSourceTexts } from './support/source-texts.js';

const document = await readDocument('docs/troubleshooting.md');
// The last part contains messages of other programs.
const [ofThisPackage = ''] = document.split('## In the editor');
const cells = [...ofThisPackage.matchAll(/^\| (?!message|---)(.+?) \|/gm)].map(([, cell = '']) => cell);
const quotes = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, quote = '']) => quote));
const texts = readSourceTexts();

/** The message with anything where the quote, or the source, has `…`. */
function fits(quote: string, text: string): boolean {
  let at = 0;
  return quote
    .split('…')
    .map((part) => part.trim())
    .every((part) => {
      const found = text.indexOf(part, at);
      at = found + part.length;
      return found !== -1;
    });
}

describe('docs/troubleshooting.md', () => {
  it('quotes messages', () => {
    expect(quotes.length).toBeGreaterThan(100);
  });

  it.each([...new Set(quotes)])('quotes the message of the package: %s', (quote) => {
    expect(texts.some(({ text }) => fits(quote, text))).toBe(true);
  });

  it('has every message that an error is made with', () => {
    // Shorter ones contain no distinctive words.
    const messages = texts.filter(({ text, errorClass }) => errorClass !== undefined && text.length > 25);
    const missing = messages.filter(({ text }) => !quotes.some((quote) => quote.length > 8 && fits(quote, text)));
    expect(missing.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
  });

  it('has the words that a reader sees: a time without an offset, a misspelt option', async () => {
    const client = new SocialPublishing({ baseUrl: 'https://api.example.com', accessKey: 'key' });
    const create = client.posts.create({
      content: 'x',
      platforms: [{ platform: 'bluesky', accountId: 'a' }],
      scheduledFor: '2027-03-26T09:00',
    });
    await expect(create).rejects.toThrow('must have an offset');
    expect(() => new SocialPublishing({ maxRetry: 1 } as object)).toThrow(/is not .+did you mean.+Supported: /);
  });
});
