import type { BatchObservableCallback, Meter } from '@opentelemetry/api';
import { checkConfiguration, isFunction, optionsOf } from '../core/call/options.js';
import { isMeter, lazily } from './otel-hooks.js';

/** Options of `otelPublisher`. */
export interface OtelPublisherOptions {
  /** Creates the instruments. Default: the meter `social-publishing` of the global provider, with the package's version. */
  readonly meter?: Meter | undefined;
  /** The clock, in milliseconds since 1970, for tests: ages count from it. Default `Date.now`. */
  readonly now?: (() => number) | undefined;
}

/** The part of a publisher's `stats()` that the metrics show. */
export interface WatchedStats {
  /** The number of open intents in each state. */
  readonly byState: Readonly<Record<string, number>>;
  /** The number of open intents that are late. */
  readonly overdue: number;
  /** When the oldest intent in a state was created, an ISO 8601 date-time. Missing: no intent is in this state. */
  readonly oldest: {
    /** Among the intents that wait for their send. */
    readonly ready?: string | undefined;
    /** Among the intents that the service may have executed. */
    readonly in_doubt?: string | undefined;
  };
}

/** The part of a publisher that `watch` uses. */
export interface WatchedPublisher {
  /** Counts the open intents. */
  stats(): Promise<WatchedStats>;
}

/** The metrics of publishers, as {@link otelPublisher} creates them. */
export interface OtelPublisher {
  /** Counts a change. Pass it to `createPublisher`. */
  readonly onChange: (intent: {
    /** The new state. */
    readonly state: string;
  }) => void;
  /** Starts to show the open intents of a publisher. Call it once for each store and scope: the counts are added up. */
  readonly watch: (publisher: WatchedPublisher) => void;
  /** Ends all watches. `onChange` still counts. */
  readonly stop: () => void;
}

const stateAttribute = 'social_publishing.intent.state';

const publisherOptions = optionsOf<OtelPublisherOptions>('an option of otelPublisher', {
  meter: isMeter('createCounter', 'createObservableGauge', 'addBatchObservableCallback'),
  now: isFunction,
});

/**
 * Creates metrics of publishers for OpenTelemetry. Requires `@opentelemetry/api`.
 *
 * - The counter `social_publishing.publisher.changes`: each change of state that this process wrote.
 * - The gauge `social_publishing.publisher.intents`: the open intents in each state.
 * - The gauge `social_publishing.publisher.oldest.age`, in seconds: the time since the oldest intent that is ready or in doubt
 *   was created. 0: there is none.
 * - The gauge `social_publishing.publisher.overdue`: the open intents that are late.
 *
 * The first two, and the age, have the attribute `social_publishing.intent.state`. Each collection calls `stats()` once,
 * which reads each open intent. If the store fails, the SDK logs the error and can
 * show the last values again.
 *
 * ```ts
 * import { otelPublisher } from 'social-publishing/otel';
 *
 * const metrics = otelPublisher();
 * const publisher = createPublisher({ client, store, onChange: metrics.onChange });
 * metrics.watch(publisher);
 * ```
 *
 * @throws `ConfigurationError` an option is invalid
 */
export function otelPublisher(options: OtelPublisherOptions = {}): OtelPublisher {
  checkConfiguration(publisherOptions, options);
  const { meter, now = Date.now } = options;
  const instruments = lazily(meter, publisherInstruments);
  const watched = new Set<WatchedPublisher>();
  let stopWatching: (() => void) | undefined;
  return {
    onChange: ({ state }) => {
      instruments().changes.add(1, { [stateAttribute]: state });
    },
    watch: (publisher) => {
      watched.add(publisher);
      stopWatching ??= startWatching(instruments(), watched, now);
    },
    stop: () => {
      watched.clear();
      stopWatching?.();
      stopWatching = undefined;
    },
  };
}

/** Returns the function that ends it. */
function startWatching(
  { meter, intents, age, overdue }: PublisherInstruments,
  watched: ReadonlySet<WatchedPublisher>,
  now: () => number,
): () => void {
  const observe: BatchObservableCallback = async (result) => {
    const all = await Promise.all([...watched].map((publisher) => publisher.stats()));
    const total = (countOf: (stats: WatchedStats) => number) => all.reduce((sum, stats) => sum + countOf(stats), 0);
    for (const state of Object.keys(all[0]?.byState ?? {})) {
      const count = total(({ byState }) => byState[state] ?? 0);
      result.observe(intents, count, { [stateAttribute]: state });
    }
    const late = total((stats) => stats.overdue);
    result.observe(overdue, late);
    for (const state of ['ready', 'in_doubt'] as const) {
      const times = all.flatMap(({ oldest }) => (oldest[state] === undefined ? [] : [Date.parse(oldest[state])]));
      // A clock of another process can be ahead.
      const ageMs = Math.max(0, ...times.map((time) => now() - time));
      result.observe(age, ageMs / 1_000, { [stateAttribute]: state });
    }
  };
  const observables = [intents, age, overdue];
  meter.addBatchObservableCallback(observe, observables);
  return () => {
    meter.removeBatchObservableCallback(observe, observables);
  };
}

type PublisherInstruments = ReturnType<typeof publisherInstruments>;

/** Makes the metrics of publishers. */
function publisherInstruments(meter: Meter) {
  return {
    meter,
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
