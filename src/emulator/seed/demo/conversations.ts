import type { Integration } from '../../../resources/integrations.js';
import { dayMs, timestamp } from '../../service/time.js';
import { directMessages, people } from './texts.js';
import { hourMs, minuteMs, type DemoWorld } from './world.js';

export function seedConversations({ seed, dice, now }: DemoWorld, account: Integration): string[] {
  const accountId = account.id;
  const self = { id: account.platformUserId, name: account.username };
  return dice.some(people, 9).map((person, place) => {
    const { id: conversationId } = seed.conversation({
      accountId,
      participants: [{ id: `instagram_${person.username}`, name: person.name, username: person.username }],
      updatedTime: timestamp(now - 20 * dayMs),
    });
    const begun = now - (place * 31 + dice.between(2, 30)) * hourMs;
    for (const [index, text] of dice.pick(directMessages).entries()) {
      // They take turns, and the customer begins.
      const from = index % 2 === 0 ? {} : { from: self };
      seed.message({ accountId, conversationId, text, timestamp: timestamp(begun + index * 7 * minuteMs), ...from });
    }
    return conversationId;
  });
}
