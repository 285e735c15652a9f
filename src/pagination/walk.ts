import { PaginationError, setResume } from '../core/errors.js';
import { responseOf, setResponse } from '../core/response.js';
import type { PageSource, ReceivedPage } from './list-source.js';
import { positionIn, type Query } from './next-query.js';
import { Page } from './page.js';
import { ReadAhead } from './read-ahead.js';
import { Visited } from './visited.js';

/** The first page of a list. Its later pages go on in one walk with it. */
export function firstPage<Item, Response>(source: PageSource<Item, Response>): Promise<Page<Item, Response>> {
  return fetchPage(source, source.start, new Visited(source));
}

/** Every page of a list, each fetched when the one before is used up. */
export async function* pageByPage<Item, Response>(
  source: PageSource<Item, Response>,
): AsyncGenerator<Page<Item, Response>, void, undefined> {
  let page: Page<Item, Response> | undefined = await firstPage(source);
  while (page !== undefined) {
    yield page;
    page = await page.nextPage();
  }
}

/** Every page of a list, with later ones fetched meanwhile. */
export async function* readingAhead<Item, Response>(
  source: PageSource<Item, Response>,
  concurrency: number,
): AsyncGenerator<Page<Item, Response>, void, undefined> {
  const visited = new Visited(source);
  const ahead = new ReadAhead<ReceivedPage<Item, Response>>({
    concurrency,
    signal: source.options.signal,
    // A caller without types may hand over null, which the check of the query tells.
    positionOf: (query: Query | null) => query?.[source.position],
    fetch: (query, signal) => source.receive(query, signal),
  });
  try {
    let query: Query | undefined = source.start;
    while (query !== undefined) {
      const received: ReceivedPage<Item, Response> = await ahead.take(query);
      const { items, next }: { items: Item[]; next: Query | undefined } = visited.visit(received);
      if (next !== undefined && visited.problemWith(next) === undefined)
        ahead.expect(likelyQueries(source, received, next));
      // A page from which its reader goes on by itself must not take items away from this walk.
      yield pageOf(source, received, items, next, () => afterwards(source, received));
      if (next !== undefined) refuseCircle(source, visited, next);
      query = next;
    }
  } finally {
    ahead.stop();
  }
}

/** What a walk that starts at this page has seen after it. */
function afterwards<Item, Response>(
  source: PageSource<Item, Response>,
  received: ReceivedPage<Item, Response>,
): Visited<Item, Response> {
  const visited = new Visited(source);
  visited.visit(received);
  return visited;
}

/** The queries that are likely to follow a page, the very next one first: all where the reply tells a total. */
function* likelyQueries<Item, Response>(
  source: PageSource<Item, Response>,
  page: ReceivedPage<Item, Response>,
  next: Query,
): Generator<Query, void, undefined> {
  yield next;
  const total = source.total(page);
  if (total === undefined) return;
  const name = source.position;
  const step = page.items.length;
  for (let at = positionIn(next, name, 0) + step; at < total; at += step) yield { ...next, [name]: at };
}

async function fetchPage<Item, Response>(
  source: PageSource<Item, Response>,
  query: Query,
  visited: Visited<Item, Response>,
): Promise<Page<Item, Response>> {
  const received = await source.receive(query, source.options.signal);
  const { items, next } = visited.visit(received);
  return pageOf(source, received, items, next, () => visited);
}

function pageOf<Item, Response>(
  source: PageSource<Item, Response>,
  received: ReceivedPage<Item, Response>,
  items: Item[],
  next: Query | undefined,
  visitedSoFar: () => Visited<Item, Response>,
): Page<Item, Response> {
  const fetchNext = async (query: Query) => {
    const visited = visitedSoFar();
    refuseCircle(source, visited, query);
    return fetchPage(source, query, visited);
  };
  const page = new Page(
    items,
    received.response,
    next === undefined ? undefined : { query: next, fetch: () => fetchNext(next) },
  );
  const response = responseOf(received.response as object); // Replies of lists are objects.
  for (const item of items) setResponse(item, response);
  setResponse(items, response);
  return setResponse(page, response);
}

/** @throws PaginationError where the next page would lead in a circle */
function refuseCircle<Item, Response>(
  source: PageSource<Item, Response>,
  visited: Visited<Item, Response>,
  next: Query,
): void {
  const problem = visited.problemWith(next);
  if (problem === undefined) return;
  const error = new PaginationError(`${source.at.route} ${problem}`, source.at);
  setResume(error, next);
  throw error;
}
