import { metrics, type Counter, type Histogram, type Meter } from '@opentelemetry/api';

/** The name that tracer and meter go by. */
export const scope = 'social-publishing';

/** What is measured. */
export interface Instruments {
  readonly duration: Histogram;
  readonly credits: Counter;
}

/** Of the semantic conventions for HTTP metrics, in seconds. Without them the SDK's own begin at 5, for milliseconds. */
const explicitBucketBoundaries = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];

/**
 * Gives the instruments of a meter, else of the global one. That is looked up at each use: unlike a tracer, a meter that was
 * taken before the SDK started stays silent for ever.
 */
export function instrumentsOf(meter: Meter | undefined): () => Instruments {
  let made: Instruments | undefined;
  let maker: object | undefined;
  return () => {
    const provider = meter ?? metrics.getMeterProvider();
    if (made === undefined || maker !== provider) {
      made = make(meter ?? metrics.getMeter(scope));
      maker = provider;
    }
    return made;
  };
}

function make(meter: Meter): Instruments {
  return {
    duration: meter.createHistogram('http.client.request.duration', {
      description: 'Duration of calls to the service, with all attempts and the waits between them.',
      unit: 's',
      advice: { explicitBucketBoundaries },
    }),
    credits: meter.createCounter('social_publishing.credits', {
      description: 'Credits that calls cost, as the API document counts them.',
      unit: '{credit}',
    }),
  };
}
