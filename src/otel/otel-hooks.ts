import {
  context,
  isSpanContextValid,
  metrics,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Meter,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { ClientHooks, EndInfo, StartInfo } from '../core/call/hooks.js';
import {
  checkConfiguration,
  hasMethods,
  ifPassed,
  isBoolean,
  optionsOf,
  type OptionCheck,
} from '../core/call/options.js';
import { version } from '../core/package.js';

/** The name of the package in spans and metrics. */
const scope = 'social-publishing';

/** The header of W3C Trace Context. */
function traceparentOf(span: Span): Record<string, string> {
  const { traceId, spanId, traceFlags } = span.spanContext();
  if (!isSpanContextValid(span.spanContext())) return {};
  return { traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}` };
}

/** Checks the option `meter`. */
/* @__NO_SIDE_EFFECTS__ */
export function isMeter(...methods: readonly (keyof Meter)[]): OptionCheck {
  return ifPassed(hasMethods("a Meter of OpenTelemetry, for example metrics.getMeter('app')", ...methods));
}

/**
 * Returns the instruments of a meter, by default the global one, with the name and version of this package. Each use looks
 * up the global provider: unlike a tracer, a meter created before the SDK started stays silent.
 */
export function lazily<Made>(meter: Meter | undefined, make: (meter: Meter) => Made): () => Made {
  let made: Made | undefined;
  let maker: object | undefined;
  return () => {
    const provider = meter ?? metrics.getMeterProvider();
    if (made === undefined || maker !== provider) {
      made = make(meter ?? metrics.getMeter(scope, version));
      maker = provider;
    }
    return made;
  };
}

/** Options of `otelHooks`. */
export interface OtelHooksOptions {
  /** Creates the spans. Default: the tracer `social-publishing` of the global provider, with the package's version. */
  readonly tracer?: Tracer | undefined;
  /** Creates the instruments. Default: the meter `social-publishing` of the global provider, with the package's version. */
  readonly meter?: Meter | undefined;
  /**
   * `true`: sends the trace context (`traceparent`, and other headers of the global propagator) with every attempt. The API
   * document shows no such header: it is for your own proxy or gateway. Default `false`.
   */
  readonly propagate?: boolean | undefined;
}

const otelOptions = optionsOf<OtelHooksOptions>('an option of otelHooks', {
  tracer: ifPassed(hasMethods("a Tracer of OpenTelemetry, for example trace.getTracer('app')", 'startSpan')),
  meter: isMeter('createHistogram'),
  propagate: isBoolean,
});

/** The newest attempt of a call. */
interface OpenAttempt {
  readonly startedAt: number;
  /** Both are set when the reply arrives. */
  status?: number;
  durationMs?: number;
  /** Its duration is recorded once it is known whether it failed, which a check of its reply can show. */
  isRecorded?: true;
}

/** A call in flight. */
interface OpenCall {
  readonly span: Span;
  readonly context: Context;
  /** The attributes that span and metrics share. */
  readonly attributes: Attributes;
  attempt?: OpenAttempt;
}

/**
 * Creates hooks that record each call with OpenTelemetry. Requires `@opentelemetry/api`.
 *
 * - One client span per call, from the call to its end. It is a child of the span that is active when you make the
 *   call, and has an event for each retry.
 * - The histogram `http.client.request.duration`, in seconds: each attempt, without the waits between attempts.
 * - The histogram `social_publishing.client.call.duration`, in seconds: each call, including the waits.
 * - The counter `social_publishing.credits`.
 *
 * Names and attributes follow the semantic conventions for HTTP. They never contain a key, a URL, a query, a header, a
 * body or the message of an error.
 *
 * ```ts
 * import { otelHooks } from 'social-publishing/otel';
 *
 * const client = new SocialPublishing({ hooks: otelHooks() });
 * ```
 *
 * @throws `ConfigurationError` an option is invalid
 */
export function otelHooks(options: OtelHooksOptions = {}): ClientHooks {
  checkConfiguration(otelOptions, options);
  const { propagate = false } = options;
  const instruments = lazily(options.meter, clientInstruments);
  const calls = new Map<string, OpenCall>();
  return {
    onStart: (info) => {
      calls.set(info.callId, startCall(info, options.tracer));
    },
    onRequest: ({ callId }) => {
      const call = calls.get(callId);
      if (call === undefined) return undefined;
      call.attempt = { startedAt: performance.now() };
      if (!propagate) return undefined;
      const carrier: Record<string, string> = {};
      propagation.inject(call.context, carrier);
      // A global propagator is optional, and can be one for other headers.
      return { ...traceparentOf(call.span), ...carrier };
    },
    onResponse: ({ callId, status, durationMs }) => {
      const call = calls.get(callId);
      if (call?.attempt !== undefined) Object.assign(call.attempt, { status, durationMs });
    },
    onRetry: ({ callId, attempt, waitMs, error }) => {
      const call = calls.get(callId);
      if (call === undefined) return;
      endAttempt(call, instruments(), { error });
      call.span.addEvent('retry', {
        'http.request.resend_count': attempt,
        'error.type': errorType(error, call.attempt?.status),
        'social_publishing.retry.wait_ms': Math.round(waitMs),
      });
    },
    onEnd: (info) => {
      const call = calls.get(info.callId);
      if (call === undefined) return;
      calls.delete(info.callId);
      endAttempt(call, instruments(), info);
      const attributes = { ...call.attributes, ...endSpan(call, info) };
      const { callDuration, credits } = instruments();
      callDuration.record(info.durationMs / 1_000, attributes, call.context);
      if (info.credits > 0) credits.add(info.credits, call.attributes, call.context);
    },
  };
}

function endAttempt(call: OpenCall, { attemptDuration }: ClientInstruments, end: { readonly error?: unknown }): void {
  const { attempt } = call;
  if (attempt === undefined || attempt.isRecorded) return;
  attempt.isRecorded = true;
  const { startedAt, status, durationMs = performance.now() - startedAt } = attempt;
  const attributes = { ...call.attributes, ...resultOf(end, status) };
  attemptDuration.record(durationMs / 1_000, attributes, call.context);
}

function startCall({ method, route, host }: StartInfo, tracer: Tracer | undefined): OpenCall {
  const attributes: Attributes = {
    // `client.request` was called with an invalid route.
    'http.request.method': method === '' ? '_OTHER' : method,
    'url.template': route,
    ...serverOf(host),
  };
  const parent = context.active();
  const span = (tracer ?? trace.getTracer(scope, version)).startSpan(
    method === '' ? 'HTTP' : `${method} ${route}`,
    { kind: SpanKind.CLIENT, attributes },
    parent,
  );
  return { span, context: trace.setSpan(parent, span), attributes };
}

function endSpan({ span, attempt }: OpenCall, info: EndInfo): Attributes {
  const attributes = resultOf(info, attempt?.status);
  const type = attributes['error.type'];
  if (typeof type === 'string') span.setStatus({ code: SpanStatusCode.ERROR, message: type });
  span.setAttributes(attributes);
  if (info.attempts > 1) span.setAttribute('http.request.resend_count', info.attempts - 1);
  if (info.credits > 0) span.setAttribute('social_publishing.credits', info.credits);
  span.end();
  return attributes;
}

/** The attributes of a result. An end without the field `error` is a success. */
function resultOf(end: { readonly error?: unknown }, status: number | undefined): Attributes {
  return {
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...('error' in end && { 'error.type': errorType(end.error, status) }),
  };
}

/** The status if the error is about it, else the error's name. The reason of an abort can be any value. */
function errorType(error: unknown, status: number | undefined): string {
  const { name, status: refused } = Object(error) as { name?: unknown; status?: unknown };
  if (status !== undefined && status >= 400 && refused === status) return String(status);
  return typeof name === 'string' ? name : 'AbortError';
}

/** The address, and the port if `baseUrl` has one. */
function serverOf(host: string): Attributes {
  const [, address = host, port] = /^(.*):(\d+)$/.exec(host) ?? [];
  return {
    'server.address': address.replace(/^\[|\]$/g, ''),
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
  };
}

/** The boundaries of the semantic conventions for HTTP metrics, in seconds. The SDK's own are for milliseconds. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

type ClientInstruments = ReturnType<typeof clientInstruments>;

/** Makes the metrics of a client. */
function clientInstruments(meter: Meter) {
  return {
    attemptDuration: meter.createHistogram('http.client.request.duration', {
      description: 'Duration of HTTP client requests. Each attempt of a call is a request.',
      unit: 's',
      advice: { explicitBucketBoundaries },
    }),
    callDuration: meter.createHistogram('social_publishing.client.call.duration', {
      description: 'Duration of calls of the client, including all attempts and the waits between them.',
      unit: 's',
      advice: { explicitBucketBoundaries },
    }),
    credits: meter.createCounter('social_publishing.credits', {
      description: 'Credits that calls cost, as the API document counts them.',
      unit: '{credit}',
    }),
  };
}
