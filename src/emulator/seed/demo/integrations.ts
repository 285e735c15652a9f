import { knownPlatforms, type KnownPlatform } from '../../../model/platforms.js';
import type { Integration } from '../../../resources/integrations.js';
import { dayMs, timestamp } from '../../service/time.js';
import type { DemoWorld } from './world.js';

/** Seeds an account on each platform, and a second one on two of them. */
export function seedIntegrations({ seed, now }: DemoWorld): Integration[] {
  const roastery = { profileId: 'profile_roastery', profileName: 'Roastery' };
  const cafe = { profileId: 'profile_cafe', profileName: 'Café' };
  const connect = (platform: KnownPlatform, daysAgo: number, fields: object) =>
    seed.integration({
      platform,
      username: 'birchandbean',
      displayName: 'Birch & Bean',
      createdAt: timestamp(now - daysAgo * dayMs),
      ...fields,
    });
  return [
    ...knownPlatforms.map((platform, index) =>
      connect(platform, 200 - index * 9, {
        ...(index % 5 === 4 ? {} : roastery),
        // One account with an expired token, as many teams have.
        ...(platform === 'pinterest' ? { authStatus: 'expired', authFailureReason: 'token_expired' } : {}),
      }),
    ),
    connect('instagram', 60, { ...cafe, username: 'birchandbean.cafe', displayName: 'Birch & Bean Café' }),
    connect('facebook', 58, { ...cafe, username: 'birchandbean.cafe', displayName: 'Birch & Bean Café' }),
  ];
}
