/** Code that a program with hooks may write. */
import { expectTypeOf, it } from 'vitest';
import {
  logHooks,
  type responseOf,
  type ClientHooks,
  type ClientOptions,
  type EndInfo,
  type SocialPublishingError,
} from '../../src/index.js';
import { otelHooks } from '../../src/otel/index.js';

it('one object or several, some of them switched off', () => {
  const debugging = Math.random() > 1;
  expectTypeOf<{ hooks: ClientHooks }>().toExtend<ClientOptions>();
  expectTypeOf<{ hooks: readonly ClientHooks[] }>().toExtend<ClientOptions>();
  const options = { hooks: [debugging && logHooks(console), otelHooks(), undefined] } satisfies ClientOptions;
  expectTypeOf(options).toExtend<ClientOptions>();
});

it('the return value of onRequest may be headers, nothing, or the last expression of a short function', () => {
  const seen: number[] = [];
  const all: ClientHooks['onRequest'][] = [
    (info) => seen.push(info.attempt),
    () => ({ 'x-a': '1', 'x-b': undefined }),
    () => new Headers(),
    () => [['x-a', '1']],
    () => undefined,
  ];
  expectTypeOf(all).toExtend<ClientHooks['onRequest'][]>();
});

it('payloads name their call, and an ID only where one is sent', () => {
  expectTypeOf<EndInfo['callId']>().toEqualTypeOf<string>();
  expectTypeOf<EndInfo['credits']>().toEqualTypeOf<number>();
  expectTypeOf<EndInfo['requestId']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<SocialPublishingError['requestId']>().toEqualTypeOf<string | undefined>();
  expectTypeOf<NonNullable<ReturnType<typeof responseOf>>['requestId']>().toEqualTypeOf<string | undefined>();
});

it('wrong names and levels are refused', () => {
  // @ts-expect-error a misspelt hook
  ({ hooks: { onEnds: () => undefined } }) satisfies ClientOptions;
  // @ts-expect-error a misspelt hook of several
  ({ hooks: [{ onEnds: () => undefined }] }) satisfies ClientOptions;
  // @ts-expect-error there is no such level
  logHooks(console, { level: 'verbose' });
  // @ts-expect-error a logger needs all four methods
  logHooks({ info: () => undefined });
  // @ts-expect-error a misspelt option
  otelHooks({ propagat: true });
});
