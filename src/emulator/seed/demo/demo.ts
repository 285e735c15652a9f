import type { Automation } from '../../../resources/automations.js';
import type { Integration } from '../../../resources/integrations.js';
import type { Conversation } from '../../../resources/messages.js';
import type { Post } from '../../../posts/posts.js';
import { shownAutomation } from '../../handlers/automations.js';
import type { Service } from '../../handlers/handler.js';
import { shownConversation } from '../../handlers/messages.js';
import type { SingleSeeds } from '../singles.js';
import { seedAutomations } from './automations.js';
import { seedComments, seedConversations } from './comments.js';
import { seedDeliveries } from './deliveries.js';
import { Dice, seedIntegrations, type DemoWorld } from './world.js';
import { seedInsights, seedPostMetrics } from './metrics.js';
import { seedPosts } from './posts.js';
import { seedRequests } from './requests.js';

/** The data that `seed.demo` added. */
export interface DemoSeed {
  /** The integrations, on all ten platforms. */
  readonly integrations: Integration[];
  /** The posts, in every state. */
  readonly posts: Post[];
  /** The automations, with runs in their logs. */
  readonly automations: Automation[];
  /** The conversations, with messages. */
  readonly conversations: Conversation[];
  /** Selection tokens that have not been used. */
  readonly selections: {
    /** Of Facebook Pages. */
    readonly facebook: string;
    /** Of Instagram accounts. */
    readonly instagram: string;
  };
}

/** Fills an emulator with two weeks of a coffee roaster, up to the clock's current time. */
export function seedDemo(service: Service, seed: SingleSeeds): DemoSeed {
  const { store, clock } = service;
  const world: DemoWorld = { service, seed, dice: new Dice(store.state), now: clock.now() };
  const integrations = seedIntegrations(world);
  const posts = seedPosts(world, integrations);
  for (const post of posts) seedPostMetrics(world, post);
  for (const post of posts) seedComments(world, post, integrations);
  const instagram = integrations.filter(({ platform }) => platform === 'instagram');
  for (const account of instagram) seedInsights(world, account.id);
  // Read again at the end, because logs and messages have changed them.
  const automations = seedAutomations(world, instagram, posts)
    .flatMap((id) => store.state.automations.get(id) ?? [])
    .map((automation) => shownAutomation(store, automation));
  const conversations = instagram
    .flatMap((account) => seedConversations(world, account))
    .flatMap((id) => store.state.conversations.get(id) ?? [])
    .map((conversation) => shownConversation(store, conversation));
  seedRequests(world, posts);
  seedDeliveries(world, posts);
  return { integrations, posts, automations, conversations, selections: seedSelections(world) };
}

function seedSelections({ seed }: DemoWorld): DemoSeed['selections'] {
  return {
    facebook: seed.selection({
      platform: 'facebook',
      accounts: [
        { id: '100200300400', username: 'birchandbean.events', displayName: 'Birch & Bean Events' },
        { id: '100200300401', username: 'birchandbean.jobs', displayName: 'Birch & Bean Jobs' },
      ],
    }).token,
    instagram: seed.selection({
      platform: 'instagram',
      accounts: [{ id: '17841400000000777', username: 'birchandbean.studio', displayName: 'Birch & Bean Studio' }],
    }).token,
  };
}
