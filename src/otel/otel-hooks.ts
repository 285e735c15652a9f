import {
  context,
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
import { ConfigurationError } from '../core/errors.js';
import type { ClientHooks, EndInfo, StartInfo } from '../core/hooks.js';
import { checkNames } from '../core/names.js';
import { instrumentsOf, scope } from './instruments.js';

/** Options of `otelHooks`. */
export interface OtelHooksOptions {
  /** Makes the spans. Default: the global one, of the name `social-publishing`. */
  readonly tracer?: Tracer | undefined;
  /** Makes the instruments. Default: the global one, of the name `social-publishing`. */
  readonly meter?: Meter | undefined;
  /**
   * `true`: sends the trace's context (`traceparent`, and what else the global propagator writes) with every attempt. The API
   * document shows no such header: it is for a proxy or gateway of your own. Default `false`.
   */
  readonly propagate?: boolean | undefined;
}

const optionNames: ReadonlySet<string> = new Set<keyof OtelHooksOptions>(['tracer', 'meter', 'propagate']);

/** A call under way. */
interface OpenCall {
  readonly span: Span;
  /** With the span in it. */
  readonly context: Context;
  /** What span and metrics tell alike. */
  readonly attributes: Attributes;
  /** Of the newest attempt, where it was answered. */
  status?: number | undefined;
}

/**
 * Makes hooks that tell OpenTelemetry of each call: one client span from the call to its end, however it ended, a child of
 * what was active when the call was made, with an event for each retry; the histogram `http.client.request.duration` in
 * seconds; and the counter `social_publishing.credits`. Names and attributes are those of the semantic conventions for
 * HTTP. No key, URL, query, header, body or message of an error is among them. Needs `@opentelemetry/api`.
 *
 * ```ts
 * import { otelHooks } from 'social-publishing/otel';
 *
 * const client = new SocialPublishing({ hooks: otelHooks() });
 * ```
 *
 * @throws `ConfigurationError` an option can't work
 */
export function otelHooks(options: OtelHooksOptions = {}): ClientHooks {
  checkOptions(options);
  const { propagate = false } = options;
  const instruments = instrumentsOf(options.meter);
  const calls = new Map<string, OpenCall>();
  return {
    onStart: (info) => {
      calls.set(info.callId, startCall(info, options.tracer));
    },
    onRequest: ({ callId }) => {
      const call = calls.get(callId);
      if (call === undefined) return undefined;
      call.status = undefined;
      if (!propagate) return undefined;
      const carrier: Record<string, string> = {};
      propagation.inject(call.context, carrier);
      return carrier;
    },
    onResponse: ({ callId, status }) => {
      const call = calls.get(callId);
      if (call !== undefined) call.status = status;
    },
    onRetry: ({ callId, attempt, waitMs, error }) => {
      const call = calls.get(callId);
      call?.span.addEvent('retry', {
        'http.request.resend_count': attempt,
        'error.type': errorType(error, call.status),
        'social_publishing.retry.wait_ms': Math.round(waitMs),
      });
    },
    onEnd: (info) => {
      const call = calls.get(info.callId);
      if (call === undefined) return;
      calls.delete(info.callId);
      const { duration, credits } = instruments();
      const attributes = { ...call.attributes, ...endSpan(call, info) };
      // What was never sent is no request, and would make the service look fast.
      if (info.attempts > 0) duration.record(info.durationMs / 1_000, attributes, call.context);
      if (info.credits > 0) credits.add(info.credits, call.attributes, call.context);
    },
  };
}

function checkOptions(options: OtelHooksOptions): void {
  checkNames('option of otelHooks', options, optionNames);
  const { tracer, meter, propagate } = options as {
    tracer?: Partial<Tracer>;
    meter?: Partial<Meter>;
  } & OtelHooksOptions;
  if (tracer !== undefined && typeof tracer.startSpan !== 'function')
    throw new ConfigurationError("tracer must be a Tracer of OpenTelemetry, for example trace.getTracer('app').");
  if (meter !== undefined && typeof meter.createHistogram !== 'function')
    throw new ConfigurationError("meter must be a Meter of OpenTelemetry, for example metrics.getMeter('app').");
  if (propagate !== undefined && typeof propagate !== 'boolean')
    throw new ConfigurationError('propagate must be true or false.');
}

function startCall({ method, route, host }: StartInfo, tracer: Tracer | undefined): OpenCall {
  const attributes: Attributes = {
    // A route that could not be read has neither.
    'http.request.method': method === '' ? '_OTHER' : method,
    'url.template': route,
    ...serverOf(host),
  };
  const parent = context.active();
  const span = (tracer ?? trace.getTracer(scope)).startSpan(
    method === '' ? 'HTTP' : `${method} ${route}`,
    { kind: SpanKind.CLIENT, attributes },
    parent,
  );
  return { span, context: trace.setSpan(parent, span), attributes };
}

/** Ends the span of a call, and gives what the metrics tell of its end too. */
function endSpan({ span, status }: OpenCall, info: EndInfo): Attributes {
  const attributes: Attributes = {};
  if (status !== undefined) attributes['http.response.status_code'] = status;
  if ('error' in info) {
    const type = errorType(info.error, status);
    attributes['error.type'] = type;
    span.setStatus({ code: SpanStatusCode.ERROR, message: type });
  }
  span.setAttributes(attributes);
  if (info.attempts > 1) span.setAttribute('http.request.resend_count', info.attempts - 1);
  if (info.credits > 0) span.setAttribute('social_publishing.credits', info.credits);
  span.end();
  return attributes;
}

/** The status where it is what the error speaks of, else the error's name. The reason of an abort may be anything. */
function errorType(error: unknown, status: number | undefined): string {
  const { name, status: refused } = Object(error) as { name?: unknown; status?: unknown };
  if (status !== undefined && status >= 400 && refused === status) return String(status);
  return typeof name === 'string' ? name : 'AbortError';
}

/** The address, and the port where it is not the usual one. */
function serverOf(host: string): Attributes {
  const [, address = host, port] = /^(.*):(\d+)$/.exec(host) ?? [];
  return {
    'server.address': address.replace(/^\[|\]$/g, ''),
    ...(port === undefined ? {} : { 'server.port': Number(port) }),
  };
}
