import * as z from 'zod/mini';
import { once } from '../../../schema/fields.js';
import type { ObservedEvent, ObservedIntent } from './observed.js';
import { Refusal } from './guard.js';
import { route } from './route.js';

const defaultLimit = 100;
const mostListed = 1_000;

const listQuery = once(() =>
  z.strictObject({
    state: z.optional(z.string()),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(mostListed))),
  }),
);

const listReply = (description: string) => ({
  description,
  schema: once(() =>
    z.strictObject({ counts: z.record(z.string(), z.number()), items: z.array(z.looseObject({ state: z.string() })) }),
  ),
});

const cancelBody = once(() => z.strictObject({ key: z.string() }));
const editBody = once(() => z.strictObject({ key: z.string(), content: z.string() }));

const intentReply = {
  description: 'The intent as `GET intents` lists it.',
  schema: once(() => z.looseObject({ key: z.string(), state: z.string() })),
};

export const observedRoutes = [
  route({
    route: 'GET /intents',
    summary: 'Lists the intents of the observed publisher in the order of their keys, and counts all of them by state.',
    query: listQuery,
    reply: listReply('The number of intents in each state, and the first intents.'),
    async answer({ observed, query }) {
      if (observed.publisher === undefined) throw notObserved('publisher');
      return listed(observed.publisher.list(), shownIntent, query);
    },
  }),
  route({
    route: 'POST /intents/cancel',
    summary: 'Cancels an intent of the observed publisher that was not sent.',
    body: cancelBody,
    reply: intentReply,
    async answer({ observed: { publisher }, body: { key } }) {
      if (publisher?.cancel === undefined) throw notObserved('publisher');
      return shownIntent(await publisher.cancel(key));
    },
  }),
  route({
    route: 'POST /intents/edit',
    summary: 'Changes the content of an intent of the observed publisher that was not sent.',
    body: editBody,
    reply: intentReply,
    async answer({ observed: { publisher }, body: { key, content } }) {
      if (publisher?.edit === undefined) throw notObserved('publisher');
      const { body = {}, extraBody } = (await publisher.get?.(key)) ?? {};
      // The publisher checks the body again.
      const edited = await publisher.edit(key, { ...body, content } as never, { extraBody: extraBody as never });
      return shownIntent(edited);
    },
  }),
  route({
    route: 'GET /inbox',
    summary: 'Lists the unhandled events of the observed inbox, and counts all events by state.',
    query: listQuery,
    reply: listReply('The number of events in each state, and events that are waiting or dead.'),
    async answer({ observed, query }) {
      if (observed.inbox === undefined) throw notObserved('inbox');
      return listed(observed.inbox.list(), shownEvent, query);
    },
  }),
];

/** Counts everything by state, and returns the first items in the state of the query. */
async function listed<Item extends { readonly state: string }>(
  all: AsyncIterable<Item>,
  show: (item: Item) => object | undefined,
  { state, limit = defaultLimit }: { readonly state?: string | undefined; readonly limit?: number | undefined },
): Promise<{ counts: Record<string, number>; items: object[] }> {
  const counts = new Map<string, number>();
  const items: object[] = [];
  for await (const item of all) {
    counts.set(item.state, (counts.get(item.state) ?? 0) + 1);
    const shown = items.length < limit && (state === undefined || item.state === state) ? show(item) : undefined;
    if (shown !== undefined) items.push(shown);
  }
  return { counts: Object.fromEntries(counts), items };
}

function shownIntent({ key, state, body, sendAt, postId, error, lookup, attempts, updatedAt }: ObservedIntent): object {
  // Any body can have it.
  const { content } = body as { readonly content?: unknown };
  return {
    key,
    state,
    content,
    sendAt,
    postId,
    error: error?.message,
    ...(lookup !== undefined && { lookup: { result: lookup.result, postIds: lookup.postIds } }),
    attempts,
    updatedAt,
  };
}

/** A handled event has no content. */
function shownEvent({ state, event, failures, dueAt }: ObservedEvent): object | undefined {
  return event === undefined ? undefined : { state, id: event.id, type: event.type, failures, dueAt };
}

function notObserved(name: 'publisher' | 'inbox'): Refusal {
  return new Refusal(404, `No ${name} is observed. Pass observe: { ${name} } to serveEmulator.`);
}
