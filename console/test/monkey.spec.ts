import { expect, it } from 'vitest';
import { browserForAll, desktop, phone, visit } from './support/browser.js';
import { walk } from './support/monkey.js';
import { serveWorld } from './support/world.js';

const browser = browserForAll();

/** For a longer walk: `MONKEY_STEPS=1500 MONKEY_SEED=7`. */
const steps = Number(process.env['MONKEY_STEPS'] ?? 150);
const seed = Number(process.env['MONKEY_SEED'] ?? 4);

it.each([
  ['a desktop', desktop],
  ['a phone', phone],
])(
  `random clicks, keys and texts break nothing on %s (seed ${seed})`,
  { timeout: 60_000 + steps * 400 },
  async (_, viewport) => {
    const world = await serveWorld((service) => {
      service.seed.demo();
    });
    const { page, leave } = await visit(browser(), world.url, { viewport, expected: /ERR_|Failed to load/ });
    expect(await walk(page, { seed, steps })).toEqual([]);
    await leave();
    await world.close();
  },
);
