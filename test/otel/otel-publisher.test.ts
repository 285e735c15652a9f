import { diag, metrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { otelPublisher } from '../../src/otel/index.js';
import { ConfigurationError } from '../../src/index.js';
import { hour, minute, World } from '../publisher/world.js';
import packageJson from '../../package.json' with { type: 'json' };

let exporter: InMemoryMetricExporter;
let meters: MeterProvider;

beforeEach(() => {
  exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  meters = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  metrics.setGlobalMeterProvider(meters);
});
afterEach(async () => {
  metrics.disable();
  await meters.shutdown();
});

/** The values of the last collection, by the metric's name and the state. */
async function collected(): Promise<Record<string, unknown>> {
  exporter.reset();
  await meters.forceFlush();
  const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  return Object.fromEntries(
    all.flatMap(({ descriptor, dataPoints }) =>
      dataPoints.map(({ attributes, value }) => {
        const state = attributes['social_publishing.intent.state'];
        const name = descriptor.name.replace('social_publishing.publisher.', '');
        return [typeof state === 'string' ? `${name} ${state}` : name, value];
      }),
    ),
  );
}

describe('otelPublisher', () => {
  it('counts changes by state, and shows open intents, the age of the oldest and the late ones', async () => {
    const world = new World();
    const otel = otelPublisher({ now: () => world.time });
    const publisher = world.process({ onChange: otel.onChange });
    otel.watch(publisher);
    expect(await collected()).toEqual({
      'intents ready': 0,
      'intents sending': 0,
      'intents accepted': 0,
      'intents in_doubt': 0,
      overdue: 0,
      'oldest.age ready': 0,
      'oldest.age in_doubt': 0,
    });
    await publisher.publish('accepted', world.later());
    await publisher.enqueue('ready', world.later());
    await world.pass(minute);
    world.service.faults.add({ route: 'POST /v1/posts/', kind: 'reset_before', times: 1 });
    await publisher.publish('lost', world.now);
    await world.pass(hour);
    expect(await collected()).toEqual({
      'changes sending': 2,
      'changes accepted': 1,
      'changes ready': 1,
      'changes in_doubt': 1,
      'intents ready': 1,
      'intents sending': 0,
      'intents accepted': 1,
      'intents in_doubt': 1,
      overdue: 1,
      'oldest.age ready': 3_660,
      'oldest.age in_doubt': 3_600,
    });
  });

  it('says what each metric shows, and in which unit', async () => {
    const world = new World();
    const otel = otelPublisher({ now: () => world.time });
    otel.onChange({ state: 'ready' });
    otel.watch(world.process());
    await meters.forceFlush();
    const all = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
    expect(all.map(({ descriptor: { name, unit, description } }) => [name, unit, description]).sort()).toEqual([
      ['social_publishing.publisher.changes', '{change}', 'Changes of the state of intents that this process wrote.'],
      ['social_publishing.publisher.intents', '{intent}', 'Open intents.'],
      [
        'social_publishing.publisher.oldest.age',
        's',
        'The time since the oldest intent in the state was created. 0: there is none.',
      ],
      [
        'social_publishing.publisher.overdue',
        '{intent}',
        'Intents that are open 15 minutes after the time of their post.',
      ],
    ]);
  });

  it('adds up the publishers of several scopes, until it is stopped', async () => {
    const world = new World();
    const otel = otelPublisher({ now: () => world.time });
    for (const scope of ['shop', 'blog']) {
      const publisher = world.process({ scope });
      await publisher.enqueue('k', world.later());
      otel.watch(publisher);
      await world.pass(minute);
    }
    expect(await collected()).toMatchObject({ 'intents ready': 2, 'oldest.age ready': 120 });
    otel.stop();
    await world.process({ scope: 'shop' }).enqueue('l', world.later());
    // The SDK keeps showing the last values.
    expect(await collected()).toMatchObject({ 'intents ready': 2 });
    otel.watch(world.process({ scope: 'blog' }));
    expect(await collected()).toMatchObject({ 'intents ready': 1 });
  });

  it('uses the meter of its option, and a provider that is set later', async () => {
    metrics.disable();
    const world = new World();
    const [later, own] = [otelPublisher(), otelPublisher({ meter: meters.getMeter('app') })];
    metrics.setGlobalMeterProvider(meters);
    later.onChange({ state: 'ready' });
    own.watch(world.process());
    own.onChange({ state: 'ready' });
    await meters.forceFlush();
    const scopes = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    expect(scopes.map(({ scope, metrics: all }) => [scope.name, scope.version, all.length])).toEqual([
      ['social-publishing', packageJson.version, 1],
      ['app', '', 4],
    ]);
  });

  it('lets the SDK report a store that fails, and still counts changes', async () => {
    const reported: unknown[] = [];
    const log = () => undefined;
    diag.setLogger({ error: (...args) => reported.push(...args), warn: log, info: log, debug: log, verbose: log });
    const otel = otelPublisher();
    otel.onChange({ state: 'ready' });
    otel.watch({ stats: () => Promise.reject(new Error('The store is down.')) });
    expect(await collected()).toEqual({ 'changes ready': 1 });
    diag.disable();
    expect(String(reported)).toContain('The store is down.');
  });

  it('refuses invalid options', () => {
    expect(() => otelPublisher({ meter: {} as never })).toThrow(ConfigurationError);
    expect(() => otelPublisher({ metre: 1 } as never)).toThrow("did you mean 'meter'");
  });
});
