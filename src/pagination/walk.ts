import { PaginationError, setResume } from '../core/errors.js';
import { responseOf, setResponse } from '../core/call/response.js';
import type { PageSource, ReceivedPage } from './list-source.js';
import { positionIn, type Query } from './next-query.js';
import { Page } from './page.js';
import { ReadAhead } from './read-ahead.js';
import { Visited, type NewItems } from './visited.js';

/** Fetches the first page of a list. Its later pages continue the same iteration. */
export function firstPage<Item, Response>(source: PageSource<Item, Response>): Promise<Page<Item, Response>> {
  return fetchPage(source, source.start, new Visited(source));
}

/** Yields every page of a list, each fetched when the previous one is used up. */
export async function* pageByPage<Item, Response>(
  source: PageSource<Item, Response>,
): AsyncGenerator<Page<Item, Response>, void, undefined> {
  let page: Page<Item, Response> | undefined = await firstPage(source);
  while (page !== undefined) {
    yield page;
    page = await page.nextPage();
  }
}

/** Yields every page of a list and fetches later ones meanwhile. */
export async function* readingAhead<Item, Response>(
  source: PageSource<Item, Response>,
  concurrency: number,
): AsyncGenerator<Page<Item, Response>, void, undefined> {
  const visited = new Visited(source);
  const ahead = new ReadAhead<ReceivedPage<Item, Response>>({
    concurrency,
    signal: source.options.signal,
    // A caller without types may pass null, which the check of the query reports.
    positionOf: (query: Query | null) => query?.[source.position],
    fetch: (query, signal) => source.receive(query, signal),
  });
  try {
    let query: Query | undefined = source.start;
    while (query !== undefined) {
      const received: ReceivedPage<Item, Response> = await ahead.take(query);
      const visit: NewItems<Item> = visited.visit(received);
      const { next } = visit;
      if (next !== undefined && visited.problemWith(next) === undefined)
        ahead.expect(likelyQueries(source, received, next));
      // Readers may continue from this page separately, without taking items away from this iteration.
      yield pageOf(source, received, visit, () => afterwards(source, received));
      if (next !== undefined) refuseCircle(source, visited, next);
      query = next;
    }
  } finally {
    ahead.stop();
  }
}

/** Returns a tracker for an iteration that continues after this page. */
function afterwards<Item, Response>(
  source: PageSource<Item, Response>,
  received: ReceivedPage<Item, Response>,
): Visited<Item, Response> {
  const visited = new Visited(source);
  visited.visit(received);
  return visited;
}

/** Yields the likely queries after a page, the next one first: all of them if the reply contains a total. */
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
  return pageOf(source, received, visited.visit(received), () => visited);
}

function pageOf<Item, Response>(
  source: PageSource<Item, Response>,
  received: ReceivedPage<Item, Response>,
  { items, next }: NewItems<Item>,
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

/** @throws PaginationError if the next page would start a cycle */
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
