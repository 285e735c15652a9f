import type { RequestListener } from 'node:http';
import { describe, expectTypeOf, it } from 'vitest';
import { targetResults, type EventTarget, type WebhookEvent, type WebhookReceiver } from '../../src/webhooks/index.js';

describe('a webhook event, as TypeScript sees it', () => {
  it('is distinguished by its type', () => {
    const read = (event: WebhookEvent) => {
      switch (event.type) {
        case 'post.published':
          expectTypeOf(event.data.platforms).toEqualTypeOf<EventTarget[]>();
          return targetResults(event);
        case 'post.scheduled':
        case 'post.partial':
        case 'post.failed':
          return event.data.post.id;
        default:
          // Every known type is gone: this is exhaustive.
          expectTypeOf(event.known).toEqualTypeOf<false>();
          return event.payload;
      }
    };
    expectTypeOf(read).returns.not.toBeAny();
  });

  it('is distinguished by known', () => {
    const read = (event: WebhookEvent) => (event.known ? event.data.post.id : event.payload.type);
    expectTypeOf(read).returns.toEqualTypeOf<unknown>();
  });

  it('has a type that is a string, whichever it is', () => {
    expectTypeOf<WebhookEvent['type']>().toExtend<string>();
  });
});

describe('a webhook receiver, as TypeScript sees it', () => {
  it('is a listener of an http server, and a handler of requests', () => {
    expectTypeOf<WebhookReceiver['node']>().toExtend<RequestListener>();
    expectTypeOf<WebhookReceiver['fetch']>().toExtend<(request: Request) => Promise<Response>>();
    expectTypeOf<WebhookReceiver['fetch']>().toExtend<
      (request: Request, env: object, context: object) => Promise<Response>
    >();
  });
});
