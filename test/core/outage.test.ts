import { describe, expect, it } from 'vitest';
import { ApiError, ConnectionError, InvalidRequestError, RateLimitError, TimeoutError } from '../../src/core/errors.js';
import { evidenceOf, OutageGate, type ServiceEvidence, type OutageOptions } from '../../src/core/flow/outage.js';

/** A gate whose time passes only while it waits, and whose list answers from a time on. */
function gateWith({ answersAt = Infinity, ...options }: Partial<OutageOptions> & { answersAt?: number } = {}) {
  let time = 0;
  const waits: number[] = [];
  const probes: number[] = [];
  const gate = new OutageGate({
    limit: 2,
    outageMs: 600_000,
    now: () => time,
    probe: () => {
      probes.push(time);
      return time >= answersAt ? Promise.resolve() : Promise.reject(new ConnectionError('refused', 1));
    },
    runtime: {
      monotonic: () => time,
      sleep: (ms) => {
        waits.push(ms);
        time += ms;
        return Promise.resolve();
      },
    },
    ...options,
  });
  const send = (evidence: ServiceEvidence) =>
    gate.run((report) => {
      report(evidence);
      return Promise.resolve(evidence);
    });
  return { gate, send, waits, probes, at: () => time };
}

describe('a gate for creates', () => {
  it('closes after as many failures in a row as its limit', async () => {
    const { gate, send } = gateWith();
    for (const evidence of ['down', 'answers', 'down', undefined] as const) await send(evidence);
    expect(gate.isDown).toBe(false);
    await send('down');
    expect(gate.isDown).toBe(true);
  });

  it('waits 1, 2, 4 … 60 seconds before each read of the list, until it answers', async () => {
    const { send, waits } = gateWith({ answersAt: 200_000 });
    for (const _ of [1, 2]) await send('down');
    expect(await send('answers')).toBe('answers');
    expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000, 60_000]);
  });

  it('lets one create through as a trial. After a failed trial, the pauses go on growing', async () => {
    const { gate, send, waits } = gateWith({ answersAt: 0 });
    for (const _ of [1, 2]) await send('down');
    const trials: number[] = [];
    const all = ['down', 'down', 'answers', 'answers'].map((evidence) =>
      gate.run((report) => {
        trials.push(waits.length);
        report(evidence as ServiceEvidence);
        return Promise.resolve();
      }),
    );
    await Promise.all(all);
    expect(trials).toEqual([1, 2, 3, 3]);
    expect(waits).toEqual([1_000, 2_000, 4_000]);
    expect(gate.isDown).toBe(false);
  });

  it('holds every create once the service was down for too long', async () => {
    const { gate, send, at, probes } = gateWith();
    for (const _ of [1, 2]) await send('down');
    expect(await Promise.all([send('answers'), send('answers')])).toEqual(['held', 'held']);
    expect(at()).toBe(600_000);
    expect(probes.at(-1)).toBe(600_000);
    expect(gate.isOver).toBe(true);
    expect(await send('answers')).toBe('held');
    expect(at()).toBe(600_000);
  });

  it('is not opened by replies to creates that began before the first failure, and counts the failures before them', async () => {
    const { gate, send } = gateWith({ limit: 3 });
    const slow = Array.from({ length: 3 }, () => {
      let arrive = () => {};
      const reply = new Promise<void>((resolve) => (arrive = resolve));
      const ended = gate.run(async (report) => {
        await reply;
        report('answers');
      });
      return { arrive, ended };
    });
    for (const { arrive, ended } of slow) {
      await send('down');
      await send(undefined);
      arrive();
      await ended;
    }
    expect(gate.isDown).toBe(false);
    await send('down');
    expect(gate.isDown).toBe(true);
  });

  it('reports the pause and the time of the first failure while it waits', async () => {
    const seen: unknown[] = [];
    const { gate, send } = gateWith({ answersAt: 3_000, onWait: () => seen.push(gate.progress) });
    for (const _ of [1, 2]) await send('down');
    await send('answers');
    const waitingSince = '1970-01-01T00:00:00.000Z';
    expect(seen).toEqual([
      { waitingMs: 1_000, waitingSince },
      { waitingMs: 2_000, waitingSince },
    ]);
    expect(gate.progress).toEqual({});
  });

  it.each(['the pause', 'the read'])('ends the wait at an abort during %s, and leaves no listener', async (during) => {
    const abort = new AbortController();
    const hang = () => new Promise<never>(() => {});
    const { gate, send } = gateWith({
      signal: abort.signal,
      probe: hang,
      ...(during === 'the pause' && {
        runtime: {
          monotonic: () => 0,
          sleep: (_, signal) =>
            new Promise((_resolve, reject) => {
              signal?.addEventListener('abort', () => {
                reject(signal.reason as Error);
              });
            }),
        },
      }),
    });
    for (const _ of [1, 2]) await send('down');
    const waiting = [send('answers'), send('answers')];
    const reason = new Error('enough');
    abort.abort(reason);
    for (const one of waiting) await expect(one).rejects.toBe(reason);
    gate.close();
  });

  it.each(['an abort', 'its close'])(
    'after %s during the trial, lets no create through that waited for it',
    async (end) => {
      const abort = new AbortController();
      const { gate, send } = gateWith({ signal: abort.signal, answersAt: 0 });
      for (const _ of [1, 2]) await send('down');
      const trial = gate.run(async (report) => {
        if (end === 'an abort') abort.abort(new Error('enough'));
        else gate.close();
        report('answers');
        return Promise.resolve('sent');
      });
      const waiting = send('answers');
      await expect(waiting).rejects.toThrow(end === 'an abort' ? 'enough' : 'aborted');
      expect(await trial).toBe('sent');
    },
  );

  it('asks at once if another call found the service down', async () => {
    const health = { isDown: true };
    const { send, waits, probes } = gateWith({ health, answersAt: 0 });
    expect(await send('answers')).toBe('answers');
    expect([waits, probes, health.isDown]).toEqual([[], [0], false]);
  });
});

describe('the evidence of an error', () => {
  const headers = new Headers();
  const reply = (status: number) => new ApiError('x', { status, headers, body: '', form: 'other' });
  it.each([
    ['a 503', reply(503), 'down'],
    ['a 408', reply(408), 'down'],
    ['a 400', reply(400), 'answers'],
    ['a 429', new RateLimitError('x', { status: 429, headers, body: '', form: 'other', attempts: 1 }), 'answers'],
    [
      'a 429 of a call that the client held back',
      new RateLimitError('x', { status: 429, headers, body: '', form: 'other', attempts: 0 }),
      undefined,
    ],
    ['a refused connection', new ConnectionError('x', 1), 'down'],
    ['a time-out', new TimeoutError('x', 1, 1), 'down'],
    ['a refused body', new InvalidRequestError([]), undefined],
    ['an error of another package', new TypeError('fetch failed'), 'down'],
  ])('%s', (_, error, evidence) => {
    expect(evidenceOf(error)).toBe(evidence);
  });
});
