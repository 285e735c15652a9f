import { context, metrics, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CBaggagePropagator, W3CTraceContextPropagator } from '@opentelemetry/core';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  SimpleSpanProcessor,
  StackContextManager,
  TracerProvider,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConfigurationError, type ClientOptions } from '../../src/index.js';
import { otelHooks } from '../../src/otel/index.js';
import { analytics, free, insights, post } from '../policies/calls.js';
import { rejection, testClient, testKey } from '../policies/client.js';
import packageJson from '../../package.json' with { type: 'json' };
import { holdTimeouts } from '../support/held-timeouts.js';
import { closedPort, json, reset, WireServer, type Script } from '../support/wire-server.js';

let server: WireServer;
let script: Script;
const spans = new InMemorySpanExporter();
const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
let exporter: InMemoryMetricExporter;
let meters: MeterProvider;

beforeEach(async () => {
  script = () => json(free.good);
  server = await WireServer.start((request, index) => script(request, index));
  context.setGlobalContextManager(new AsyncLocalStorageContextManager());
  trace.setGlobalTracerProvider(tracers);
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  metrics.setGlobalMeterProvider(meters);
});
afterEach(async () => {
  spans.reset();
  for (const api of [context, trace, metrics, propagation]) api.disable();
  await meters.shutdown();
});

const finished = (): ReadableSpan[] => spans.getFinishedSpans();
const clientOf = (options: ClientOptions = {}, otel: Parameters<typeof otelHooks>[0] = {}) =>
  testClient(server.url, { ...options, hooks: otelHooks(otel) }).client;
const tracer = trace.getTracer('test');

async function measured() {
  await meters.forceFlush();
  const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return Object.fromEntries(all.map((metric) => [metric.descriptor.name, metric]));
}

describe('the span of a call', () => {
  it('is one, of the client kind, by the names of the semantic conventions', async () => {
    await clientOf().posts.list();
    const [span] = finished();
    expect(finished()).toHaveLength(1);
    expect(span).toMatchObject({
      name: 'GET /v1/posts/',
      kind: SpanKind.CLIENT,
      status: { code: SpanStatusCode.UNSET },
    });
    expect(span?.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/v1/posts/',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(server.url).port),
      'http.response.status_code': 200,
    });
    expect(span?.instrumentationScope.name).toBe('social-publishing');
    expect(span?.ended).toBe(true);
  });

  it('covers the attempts of a create that is retried, with an event for each retry', async () => {
    script = (_, index) => (index < 2 ? json({ success: false }, 429) : json(post.good));
    await post.call(clientOf());
    const [span] = finished();
    expect(finished()).toHaveLength(1);
    expect(span).toMatchObject({ name: 'POST /v1/posts/', status: { code: SpanStatusCode.UNSET } });
    expect(span?.attributes).toMatchObject({ 'http.response.status_code': 200, 'http.request.resend_count': 2 });
    expect(span?.attributes).not.toHaveProperty('error.type');
    // A create costs no credits.
    expect(span?.attributes).not.toHaveProperty('social_publishing.credits');
    expect(span?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['retry', expect.objectContaining({ 'error.type': '429', 'http.request.resend_count': 1 })],
      ['retry', expect.objectContaining({ 'error.type': '429', 'http.request.resend_count': 2 })],
    ]);
  });

  it.each<[string, Script, string, number | undefined]>([
    ['a refusal', () => json({ success: false, message: 'no' }, 400), '400', 400],
    ['a failure of the service', () => json({}, 500), '500', 500],
    ['a refusal with 200', () => json({ success: false }), 'ApiError', 200],
    ['a reply that cannot be read', () => json(5), 'ResponseError', 200],
    ['a reset', () => reset, 'ConnectionError', undefined],
  ])('has the status and the type of an error: %s', async (_, answer, type, status) => {
    script = answer;
    await rejection(post.call(clientOf()));
    const [span] = finished();
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: type });
    expect(span?.attributes['error.type']).toBe(type);
    expect(span?.attributes['http.response.status_code']).toBe(status);
  });

  it('reports the status of the last attempt, not of an earlier one', async () => {
    script = (_, index) => (index === 0 ? json({}, 503) : reset);
    await rejection(clientOf({ maxRetries: 1 }).posts.list());
    expect(finished()[0]?.attributes).toMatchObject({ 'error.type': 'ConnectionError' });
    expect(finished()[0]?.attributes).not.toHaveProperty('http.response.status_code');
  });

  it.each<[string, unknown, string]>([
    ['without a reason', undefined, 'AbortError'],
    ['with text', 'enough', 'AbortError'],
    ['with an error', new RangeError('mine'), 'RangeError'],
  ])('ends at an abort in flight, %s', async (_, reason, type) => {
    const controller = new AbortController();
    script = () => () => {
      controller.abort(reason);
    };
    await rejection(clientOf().posts.list({}, { signal: controller.signal }));
    expect(finished()[0]?.attributes['error.type']).toBe(type);
    expect(finished()[0]?.status.code).toBe(SpanStatusCode.ERROR);
  });

  it('ends at an abort before sending, and at one while it waits for a retry', async () => {
    const controller = new AbortController();
    script = () => json({}, 503);
    const client = testClient(server.url, {
      hooks: [
        otelHooks(),
        {
          onRetry: () => {
            controller.abort();
          },
        },
      ],
    }).client;
    await rejection(client.posts.list({}, { signal: AbortSignal.abort() }));
    await rejection(client.posts.list({}, { signal: controller.signal }));
    expect(finished().map(({ attributes }) => attributes['error.type'])).toEqual(['AbortError', 'AbortError']);
  });

  it('ends if nothing was sent: an invalid argument, the credit limit, the rate limit, an invalid route', async () => {
    script = () => json({}, 429, [['retry-after', '90']]);
    const client = clientOf({ maxCredits: 0 });
    await rejection(client.posts.list({ limit: 0 }));
    await rejection(insights.call(client));
    await rejection(client.request('nonsense'));
    await rejection(free.call(client));
    await rejection(free.call(client));
    expect(finished().map(({ name, attributes }) => [name, attributes['error.type']])).toEqual([
      ['GET /v1/posts/', 'InvalidRequestError'],
      ['GET /v1/analytics/instagram/account-insights', 'CreditLimitError'],
      ['HTTP', 'InvalidRequestError'],
      ['GET /v1/posts/', '429'],
      ['GET /v1/posts/', 'RateLimitError'],
    ]);
  });

  it('ends without an error where a page was read ahead of a loop that was left', async () => {
    script = (request) =>
      request.path.includes('offset=') && !request.path.includes('offset=0')
        ? () => undefined
        : json({ success: true, total: 100, posts: [{ postId: 'post_1' }] });
    for await (const page of clientOf().posts.list({ limit: 1 }, { concurrency: 2 }).pages()) {
      expect(page.items).toHaveLength(1);
      await expect.poll(() => server.requests.length).toBeGreaterThan(1);
      break;
    }
    await expect.poll(() => finished().length).toBeGreaterThan(1);
    for (const span of finished()) expect(span.status.code).toBe(SpanStatusCode.UNSET);
  });

  it('takes the hosts apart', async () => {
    const hosts = ['https://api.test/prefix', 'http://localhost:4010', 'http://[::1]:4010', 'https://api.test:443'];
    for (const baseUrl of hosts)
      await testClient(baseUrl, {
        hooks: otelHooks(),
        fetch: () => Promise.resolve(Response.json(free.good)),
      }).client.posts.list();
    expect(finished().map(({ attributes }) => [attributes['server.address'], attributes['server.port']])).toEqual([
      ['api.test', undefined],
      ['localhost', 4010],
      ['::1', 4010],
      ['api.test', undefined],
    ]);
  });

  it('holds no key, URL, query, body or word of the service', async () => {
    script = () => json({ success: false, message: 'words of the service' }, 400);
    const client = clientOf({ headers: { 'x-mine': 'header-text' } });
    await rejection(client.posts.list({}, { extraQuery: { search: 'query-text' } }));
    await rejection(
      client.posts.create({
        content: 'your-text',
        platforms: [{ platform: 'bluesky', accountId: 'a' }],
        publishNow: true,
      }),
    );
    await rejection(client.integrations.selectFacebookPages('selection-token-7', { selectedAccountIds: ['page_1'] }));
    expect(finished()).toHaveLength(3);
    const told = JSON.stringify(
      finished().map(({ name, attributes, events, status }) => [name, attributes, events, status]),
    );
    for (const secret of [
      testKey,
      'query-text',
      'your-text',
      'header-text',
      'selection-token-7',
      'words of',
      'http://',
    ])
      expect(told).not.toContain(secret);
  });
});

describe('the context of a call', () => {
  it('is the parent of its span, however many calls run at once', async () => {
    script = (_, index) => (index % 3 === 0 ? json({}, 503) : json(free.good));
    const client = clientOf({ maxRetries: 5 });
    const parents = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        tracer.startActiveSpan(`parent ${String(index)}`, async (parent) => {
          await client.posts.list({ limit: index + 1 });
          parent.end();
          return parent.spanContext();
        }),
      ),
    );
    const calls = finished().filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(calls).toHaveLength(50);
    expect(new Set(calls.map(({ parentSpanContext }) => parentSpanContext?.spanId))).toEqual(
      new Set(parents.map(({ spanId }) => spanId)),
    );
  });

  it('belongs to the call if the context manager knows only synchronous code', async () => {
    context.disable();
    context.setGlobalContextManager(new StackContextManager());
    const client = clientOf({ accessKey: () => Promise.resolve(testKey) });
    const parent = tracer.startSpan('parent');
    script = () => json(post.good);
    await context.with(trace.setSpan(ROOT_CONTEXT, parent), () => post.call(client));
    parent.end();
    const [call] = finished().filter(({ kind }) => kind === SpanKind.CLIENT);
    expect(call?.parentSpanContext?.spanId).toBe(parent.spanContext().spanId);
  });
});

describe('propagate', () => {
  beforeEach(() => {
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  });

  it('sends the context of the span with every attempt', async () => {
    script = (_, index) => (index === 0 ? json({}, 503) : json(free.good));
    await clientOf({}, { propagate: true }).posts.list();
    const { traceId, spanId } = finished()[0]?.spanContext() ?? {};
    expect(server.requests.map(({ headers }) => headers['traceparent'])).toEqual([
      `00-${String(traceId)}-${String(spanId)}-01`,
      `00-${String(traceId)}-${String(spanId)}-01`,
    ]);
  });

  it('sends it without a global propagator too, and nothing for a span that records nothing', async () => {
    propagation.disable();
    await clientOf({}, { propagate: true }).posts.list();
    const { traceId, spanId } = finished()[0]?.spanContext() ?? {};
    expect(server.requests[0]?.headers['traceparent']).toBe(`00-${String(traceId)}-${String(spanId)}-01`);
    trace.disable();
    await clientOf({}, { propagate: true }).posts.list();
    expect(server.requests[1]?.headers).not.toHaveProperty('traceparent');
  });

  it('sends it beside the headers of a global propagator that has others', async () => {
    propagation.disable();
    propagation.setGlobalPropagator(new W3CBaggagePropagator());
    const baggage = propagation.createBaggage({ k: { value: 'v' } });
    await context.with(propagation.setBaggage(context.active(), baggage), async () => {
      await clientOf({}, { propagate: true }).posts.list();
    });
    expect(server.requests[0]?.headers).toMatchObject({ baggage: 'k=v', traceparent: expect.any(String) as string });
  });

  it('sends nothing unless it is asked for', async () => {
    await clientOf().posts.list();
    expect(server.requests[0]?.headers).not.toHaveProperty('traceparent');
  });

  it("leaves a caller's own header as it is", async () => {
    await clientOf({}, { propagate: true }).posts.list({}, { headers: { traceparent: 'mine' } });
    expect(server.requests[0]?.headers['traceparent']).toBe('mine');
  });
});

/** The data points of a histogram: count and seconds by status and type of error. */
async function durations(name: string) {
  const { [name]: histogram } = await measured();
  return histogram?.dataPoints.map(({ attributes, value }) => {
    const { count, sum = 0 } = value as { count: number; sum?: number };
    return { status: attributes['http.response.status_code'], type: attributes['error.type'], count, sum };
  });
}

describe('the metrics', () => {
  it('count seconds and credits, by the conventions', async () => {
    const { client, pass } = testClient(server.url, { hooks: otelHooks() });
    script = (request) => {
      pass(250);
      return request.path.startsWith('/v1/analytics') ? json(analytics.good) : json({}, 400);
    };
    await client.analytics.getPost('post_1');
    await client.analytics.getPost('post_1');
    await rejection(client.posts.list());
    await rejection(client.posts.list({ limit: 0 }));
    const measures = await measured();
    const { 'http.client.request.duration': duration, 'social_publishing.credits': credits } = measures;
    expect(duration?.descriptor.unit).toBe('s');
    expect(duration?.dataPoints.map(({ attributes, value }) => [attributes, value])).toMatchObject([
      [
        {
          'http.request.method': 'GET',
          'url.template': '/v1/analytics/',
          'server.address': '127.0.0.1',
          'http.response.status_code': 200,
        },
        {
          count: 2,
          buckets: { boundaries: [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10] },
        },
      ],
      // The call that was never sent has no request.
      [{ 'http.response.status_code': 400, 'error.type': '400' }, { count: 1 }],
    ]);
    const { sum } = duration?.dataPoints[0]?.value as { sum: number };
    expect(sum).toBe(0.5);
    const { 'social_publishing.client.call.duration': whole } = measures;
    // The last boundary of the semantic conventions: the SDK's own are for milliseconds.
    for (const { value } of whole?.dataPoints ?? [])
      expect((value as { buckets: { boundaries: number[] } }).buckets.boundaries.at(-1)).toBe(10);
    expect(credits?.dataPoints).toMatchObject([{ attributes: { 'url.template': '/v1/analytics/' }, value: 2 }]);
  });

  it('say what they measure, and in which unit', async () => {
    script = () => json(analytics.good);
    await analytics.call(clientOf());
    const described = Object.values(await measured()).map(({ descriptor: { name, unit, description } }) => [
      name,
      unit,
      description,
    ]);
    expect(described).toEqual([
      ['http.client.request.duration', 's', 'Duration of HTTP client requests. Each attempt of a call is a request.'],
      [
        'social_publishing.client.call.duration',
        's',
        'Duration of calls of the client, including all attempts and the waits between them.',
      ],
      ['social_publishing.credits', '{credit}', 'Credits that calls cost, as the API document counts them.'],
    ]);
  });

  it('measure each attempt without the waits, and each call with them', async () => {
    script = (_, index) => (index < 2 ? json({}, 503, [['retry-after', '20']]) : json(free.good));
    await clientOf({ totalTimeoutMs: 90_000 }).posts.list();
    const attempts = await durations('http.client.request.duration');
    expect(attempts).toMatchObject([
      { status: 503, type: '503', count: 2 },
      { status: 200, type: undefined, count: 1 },
    ]);
    for (const { sum } of attempts ?? []) expect(sum).toBe(0);
    const calls = await durations('social_publishing.client.call.duration');
    expect(calls).toMatchObject([{ status: 200, type: undefined, count: 1 }]);
    // Two waits of 20 s, with jitter.
    expect(calls?.[0]?.sum).toBe(42);
  });

  it('measure attempts without a reply: a reset, a time-out, an abort', async () => {
    const controller = new AbortController();
    const timeoutMs = 19_001;
    const held = holdTimeouts(timeoutMs);
    script = (_, index) => {
      if (index === 0) return reset;
      if (index === 1) return held.expire;
      return () => {
        controller.abort();
      };
    };
    const client = clientOf({ timeoutMs });
    const before = performance.now();
    await rejection(client.posts.list({}, { signal: controller.signal }));
    const seconds = (performance.now() - before) / 1_000;
    const attempts = await durations('http.client.request.duration');
    expect(attempts).toMatchObject([
      { status: undefined, type: 'ConnectionError', count: 1 },
      { status: undefined, type: 'TimeoutError', count: 1 },
      { status: undefined, type: 'AbortError', count: 1 },
    ]);
    expect(attempts?.[1]?.sum).toBeGreaterThan(0);
    for (const { sum } of attempts ?? []) expect(sum).toBeLessThanOrEqual(seconds);
    expect(await durations('social_publishing.client.call.duration')).toMatchObject([{ type: 'AbortError', count: 1 }]);
  });

  it('measure an attempt once where the call is aborted during the wait that follows', async () => {
    script = () => json({}, 503);
    const controller = new AbortController();
    const stop = {
      onRetry: () => {
        controller.abort();
      },
    };
    const { client } = testClient(server.url, { hooks: [otelHooks(), stop] });
    await rejection(client.posts.list({}, { signal: controller.signal }));
    expect(await durations('http.client.request.duration')).toMatchObject([{ status: 503, type: '503', count: 1 }]);
    expect(await durations('social_publishing.client.call.duration')).toMatchObject([{ type: 'AbortError', count: 1 }]);
  });

  it('measure a call that was never sent, and no request', async () => {
    await rejection(clientOf().posts.list({ limit: 0 }));
    expect(await durations('http.client.request.duration')).toBeUndefined();
    expect(await durations('social_publishing.client.call.duration')).toMatchObject([
      { status: undefined, type: 'InvalidRequestError', count: 1 },
    ]);
  });

  it('and the spans carry the version of the package', async () => {
    await clientOf().posts.list();
    await meters.forceFlush();
    const { version } = packageJson;
    const scope = { name: 'social-publishing', version };
    expect(finished()[0]?.instrumentationScope).toMatchObject(scope);
    expect(exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.map((one) => one.scope))).toMatchObject([
      scope,
    ]);
  });

  it('go to a provider that was registered after the hooks were used', async () => {
    metrics.disable();
    const client = clientOf();
    await client.posts.list();
    metrics.setGlobalMeterProvider(meters);
    await client.posts.list();
    expect((await measured())['http.client.request.duration']?.dataPoints).toMatchObject([{ value: { count: 1 } }]);
  });

  it('go to the passed meter, and spans to the passed tracer', async () => {
    trace.disable();
    metrics.disable();
    await clientOf({}, { tracer: tracers.getTracer('app'), meter: meters.getMeter('app') }).posts.list();
    expect(finished()[0]?.instrumentationScope.name).toBe('app');
    expect(await measured()).toHaveProperty(['http.client.request.duration']);
  });
});

describe('otelHooks', () => {
  it('does nothing, and breaks nothing, where no SDK is registered', async () => {
    for (const api of [context, trace, metrics]) api.disable();
    await clientOf({}, { propagate: true }).posts.list();
    await rejection(testClient(closedPort, { hooks: otelHooks() }).client.posts.list());
    expect(finished()).toEqual([]);
  });

  it('of one making may serve many clients', async () => {
    const hooks = otelHooks();
    await Promise.all([1, 2, 3].map(() => testClient(server.url, { hooks }).client.posts.list()));
    expect(finished()).toHaveLength(3);
  });

  it.each<[string, object]>([
    ["tracer must be a Tracer of OpenTelemetry, for example trace.getTracer('app')", { tracer: {} }],
    ["meter must be a Meter of OpenTelemetry, for example metrics.getMeter('app')", { meter: 5 }],
    ['propagate', { propagate: 'yes' }],
    ['propagate', { propagat: true }],
  ])('refuses invalid options: %s', (name, options) => {
    expect(() => otelHooks(options as never)).toThrow(ConfigurationError);
    expect(() => otelHooks(options as never)).toThrow(name);
  });
});
