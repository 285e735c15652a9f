import { metrics, trace, type Meter, type Tracer } from '@opentelemetry/api';
import { hasMethods, ifPassed, type OptionCheck } from '../core/call/options.js';
import { version } from '../core/package.js';

const scope = 'social-publishing';

/** The boundaries of the semantic conventions for HTTP metrics, in seconds. The SDK's own are for milliseconds. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/** Returns the tracer of the global provider, with the name and version of this package. */
export function globalTracer(): Tracer {
  return trace.getTracer(scope, version);
}

/** Checks the option `meter`. */
/* @__NO_SIDE_EFFECTS__ */
export function isMeter(...methods: readonly (keyof Meter)[]): OptionCheck {
  return ifPassed(hasMethods("a Meter of OpenTelemetry, for example metrics.getMeter('app')", ...methods));
}

/** Returns a meter, by default the global one, with the name and version of this package. */
export function meterOf(meter: Meter | undefined): Meter {
  return meter ?? metrics.getMeter(scope, version);
}

/**
 * Returns the instruments of a meter, by default the global one. Each use looks up the global provider: unlike a
 * tracer, a meter created before the SDK started stays silent.
 */
export function lazily<Made>(meter: Meter | undefined, make: (meter: Meter) => Made): () => Made {
  let made: Made | undefined;
  let maker: object | undefined;
  return () => {
    const provider = meter ?? metrics.getMeterProvider();
    if (made === undefined || maker !== provider) {
      made = make(meterOf(meter));
      maker = provider;
    }
    return made;
  };
}

export type PublisherInstruments = ReturnType<typeof publisherInstruments>;

/** Makes the metrics of publishers. */
export function publisherInstruments(meter: Meter) {
  return {
    changes: meter.createCounter('social_publishing.publisher.changes', {
      description: 'Changes of the state of intents that this process wrote.',
      unit: '{change}',
    }),
    intents: meter.createObservableGauge('social_publishing.publisher.intents', {
      description: 'Open intents.',
      unit: '{intent}',
    }),
    age: meter.createObservableGauge('social_publishing.publisher.oldest.age', {
      description: 'The time since the oldest intent in the state was created. 0: there is none.',
      unit: 's',
    }),
    overdue: meter.createObservableGauge('social_publishing.publisher.overdue', {
      description: 'Intents that are open 15 minutes after the time of their post.',
      unit: '{intent}',
    }),
  };
}

export type ClientInstruments = ReturnType<typeof clientInstruments>;

/** Makes the metrics of a client. */
export function clientInstruments(meter: Meter) {
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
