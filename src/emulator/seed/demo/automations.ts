import type { Integration } from '../../../resources/integrations.js';
import { dayMs, timestamp } from '../../service/time.js';
import { captions, people } from './texts.js';
import { hourMs, type DemoWorld } from './world.js';

interface Plan {
  readonly name: string;
  readonly keywords: string[];
  readonly dmMessage: string;
  readonly runs: number;
}

const plans: readonly Plan[] = [
  {
    name: 'Brew guide',
    keywords: ['guide', 'recipe'],
    dmMessage: 'Here is our brew guide: https://birchandbean.example/guide',
    runs: 34,
  },
  {
    name: 'Summer discount',
    keywords: ['summer'],
    dmMessage: 'Your code is SUMMER. It is good for one bag.',
    runs: 21,
  },
  {
    name: 'Opening hours',
    keywords: ['open', 'hours'],
    dmMessage: 'We are open from 8 to 18, on Sundays from 10.',
    runs: 5,
  },
];

/** Seeds automations with their runs, and posts that they could watch. Returns the automations' IDs. */
export function seedAutomations(world: DemoWorld, accounts: readonly Integration[]): string[] {
  return accounts.flatMap((account, place) => {
    seedEligiblePosts(world, account.id, place);
    // The second account has only one.
    return plans.slice(0, place === 0 ? plans.length : 1).map((plan) => seedAutomation(world, account.id, plan));
  });
}

function seedEligiblePosts({ seed, dice, now }: DemoWorld, accountId: string, place: number): void {
  for (let index = 0; index < 30; index += 1) {
    seed.eligiblePost({
      accountId,
      caption: captions[(index * 3 + place) % captions.length],
      mediaType: dice.pick(['IMAGE', 'VIDEO', 'CAROUSEL_ALBUM']),
      timestamp: timestamp(now - (index * 11 + dice.between(1, 8)) * hourMs),
    });
  }
}

function seedAutomation(world: DemoWorld, accountId: string, { name, keywords, dmMessage, runs }: Plan): string {
  const { seed, now } = world;
  const { id: automationId } = seed.automation({
    accountId,
    name,
    trigger: { postScope: 'any', keywords, matchMode: 'exact' },
    actions: { publicReplies: ['Sent you a message!', 'Check your inbox.'], dmMessage },
    createdAt: timestamp(now - 40 * dayMs),
    updatedAt: timestamp(now - 20 * dayMs),
  });
  for (let index = 0; index < runs; index += 1) seedRun(world, automationId, keywords, index);
  return automationId;
}

function seedRun(
  { seed, dice, now }: DemoWorld,
  automationId: string,
  keywords: readonly string[],
  index: number,
): void {
  const person = dice.pick(people);
  const failed = dice.chance(0.1);
  seed.automationLog({
    automationId,
    commenterId: `instagram_${person.username}`,
    commenterName: person.name,
    commentText: dice.pick(keywords),
    platformPostId: `instagram_post_${String(dice.between(1, 12))}`,
    status: failed ? 'failed' : 'succeeded',
    privateReplySent: !failed,
    publicReplyStatus: 'sent',
    ...(failed ? { error: 'The user accepts no messages from this account.' } : {}),
    createdAt: timestamp(now - (index * 9 + dice.between(1, 8)) * hourMs),
  });
}
