import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Advance, commands, List, setUp } from './story.js';

it('agrees with a simple model, whatever is done to it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.commands(commands, { maxCommands: 40 }), async (story) => {
      const { model, real } = setUp();
      await fc.asyncModelRun(() => ({ model, real }), story);
      const { service } = real;
      service.faults.clear();
      model.fault = undefined;
      await new Advance(120).run(model, real);
      await new List(3).run(model, real);
      const told = service.deliveries.map(({ body, eventType }) => {
        const { data } = JSON.parse(body) as { data: { post: { content: string } } };
        return `${data.post.content} ${eventType}`;
      });
      // Exactly one final event for each publication, one post.scheduled for each post that was accepted with a time.
      expect(told.sort()).toEqual(model.events.sort());
      expect(new Set(service.deliveries.map(({ eventId }) => eventId)).size).toBe(told.length);
      expect(service.creditsUsed).toBe(model.credits);
    }),
    { numRuns: 150 },
  );
});
