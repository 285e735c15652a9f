import { metrics, trace, type Counter, type Histogram, type Meter, type Tracer } from '@opentelemetry/api';
import { version } from '../core/version.js';

const scope = 'social-publishing';

/** The metrics of a client. */
export interface Instruments {
  readonly attemptDuration: Histogram;
  readonly callDuration: Histogram;
  readonly credits: Counter;
}

/** The boundaries of the semantic conventions for HTTP metrics, in seconds. The SDK's own are for milliseconds. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Returns the tracer of the global provider, with the name and version of this package. */
export function globalTracer(): Tracer {
  return trace.getTracer(scope, version);
}

/**
 * Returns the instruments of a meter, by default the global one. Each use looks up the global provider: unlike a
 * tracer, a meter created before the SDK started stays silent.
 */
export function instrumentsOf(meter: Meter | undefined): () => Instruments {
  let made: Instruments | undefined;
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

function make(meter: Meter): Instruments {
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
