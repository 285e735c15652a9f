import type { InvalidRequestError } from '../core/errors.js';
import { invalidArgument } from '../core/options.js';
import type { ListPart } from './results.js';
import { mostItems } from './results.js';

interface FetchedPage<Item, Response> {
  readonly items: readonly Item[];
  readonly response: Response;
  readonly hasNextPage: boolean;
}

interface ListInput {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

/** The number of items that a call requests: a result has at most 20. */
export function sizeOf({ limit = mostItems }: ListInput): number {
  return Math.min(limit, mostItems);
}

/** Reads a cursor that counts items. */
export function offsetOf({ cursor }: ListInput): number {
  if (cursor === undefined) return 0;
  if (!/^\d{1,9}$/.test(cursor)) throw wrongCursor();
  return Number(cursor);
}

export async function offsetPart<Item, Response>(
  input: ListInput,
  read: (query: { limit: number; offset: number }) => PromiseLike<FetchedPage<Item, Response>>,
): Promise<Pick<ListPart, 'cursorAfter'> & FetchedPage<Item, Response>> {
  const offset = offsetOf(input);
  const { items, response, hasNextPage } = await read({ limit: sizeOf(input), offset });
  const cursorAfter = (count: number) => (count < items.length || hasNextPage ? String(offset + count) : undefined);
  return { items, response, hasNextPage, cursorAfter };
}

const longestPage = 100;

/**
 * Reads a page of a list with cursors of the service. A result may end in the middle of a page. Its cursor is then the
 * service's cursor of that page, after the number of items to skip.
 */
export async function cursorPart<Item, Response extends { readonly nextCursor?: string | undefined }>(
  input: ListInput,
  read: (query: { limit: number; after?: string }) => PromiseLike<FetchedPage<Item, Response>>,
): Promise<Pick<ListPart, 'cursorAfter'> & FetchedPage<Item, Response>> {
  const [, skipped = '0', after = ''] = /^(\d{1,2}):([^]*)$/.exec(input.cursor ?? '0:') ?? [];
  if (input.cursor !== undefined && !/^\d{1,2}:/.test(input.cursor)) throw wrongCursor();
  const skip = Number(skipped);
  const limit = Math.min(skip + sizeOf(input), longestPage);
  const page = await read({ limit, ...(after === '' ? {} : { after }) });
  const items = page.items.slice(skip);
  const { nextCursor = '' } = page.response;
  const cursorAfter = (count: number) => {
    if (count < items.length) return `${String(skip + count)}:${after}`;
    return page.hasNextPage && nextCursor !== '' ? `0:${nextCursor}` : undefined;
  };
  return { items, response: page.response, hasNextPage: page.hasNextPage, cursorAfter };
}

function wrongCursor(): InvalidRequestError {
  return invalidArgument('cursor', 'must be the cursor of an earlier result of this tool');
}
