import { describe, expect, it } from 'vitest';
import { ServiceClock } from '../../src/core/service-clock.js';

const noon = Date.parse('2030-01-01T12:00:00Z');
const minute = 60_000;

/** A service's clock, and a machine whose time a test sets. */
function world() {
  const clock = new ServiceClock();
  const machine = { time: noon, ran: 0, now: () => machine.time, monotonic: () => machine.ran };
  const pass = (ms: number) => {
    machine.time += ms;
    machine.ran += ms;
  };
  /** A reply arrives whose `Date` is this far ahead of the machine's time. */
  const reply = (aheadMs: number, more: Record<string, string> = {}) => {
    clock.learn(new Headers({ date: new Date(machine.time + aheadMs).toUTCString(), ...more }), machine);
  };
  return {
    clock,
    machine,
    pass,
    reply,
    offset: () => clock.offsetMs(machine),
    recent: () => clock.recentOffsetMs(machine),
  };
}

describe("the service's clock", () => {
  it('is unknown before the first readable Date', () => {
    const { clock, machine, offset, recent } = world();
    for (const headers of [undefined, new Headers(), new Headers({ date: '' }), new Headers({ date: 'soon' })])
      clock.learn(headers, machine);
    expect([offset(), recent()]).toEqual([undefined, undefined]);
  });

  it.each(['1', '3600', '0, 60', '60, 0', 'a minute', '1.5', '-1'])(
    'learns nothing from a reply with Age: %s',
    (age) => {
      const { reply, offset } = world();
      reply(0, { age });
      expect(offset()).toBeUndefined();
    },
  );

  it.each(['0', '00', '0, 0', ''])('learns from a reply with Age: %s, which no cache kept', (age) => {
    const { reply, offset } = world();
    reply(7_000, { age });
    expect(offset()).toBe(7_000);
  });

  it('is as far ahead as the greatest offset of the last 10 minutes says', () => {
    const { reply, pass, recent } = world();
    reply(7_000);
    pass(minute);
    reply(-3_600_000);
    expect(recent()).toBe(7_000);
    pass(minute);
    reply(9_000);
    expect(recent()).toBe(9_000);
    pass(10 * minute);
    expect(recent()).toBe(9_000);
    pass(1);
    expect(recent()).toBeUndefined();
  });

  it('falls back to a lower offset when the greater one is too old', () => {
    const { reply, pass, recent } = world();
    reply(7_000);
    pass(9 * minute);
    reply(2_000);
    pass(2 * minute);
    expect(recent()).toBe(2_000);
  });

  it('is as the last replies showed it, if they are older than 10 minutes', () => {
    const { reply, pass, offset, recent } = world();
    reply(7_000);
    pass(60 * minute);
    expect([offset(), recent()]).toEqual([7_000, undefined]);
    reply(-2_000);
    expect(offset()).toBe(-2_000);
  });

  it("forgets what it learned before this machine's clock was set by more than 10 minutes", () => {
    const { machine, reply, recent } = world();
    reply(60 * minute);
    machine.time += 60 * minute;
    expect(recent()).toBeUndefined();
    reply(0);
    expect(recent()).toBe(0);
  });

  it('keeps at most one offset for each second, also of a service whose clock stopped', () => {
    const { clock, machine, pass, recent } = world();
    const headers = new Headers({ date: new Date(noon).toUTCString() });
    let filtered = 0;
    const counting = { now: machine.now, monotonic: () => ((filtered += 1), machine.ran) };
    for (let count = 0; count < 1_000; count += 1) {
      clock.learn(headers, counting);
      pass(10);
    }
    // One question for each kept offset, and one for the reply itself: at most 11 offsets in 10 seconds.
    expect(filtered).toBeLessThan(1_000 * 12);
    expect(recent()).toBe(0);
  });
});
