/**
 * Prints the connected accounts that need attention, and why. Without any it prints nothing, for a cron job.
 *
 * npx tsx examples/programs/token-health.ts --days 14
 *
 * It requires SOCIAL_PUBLISHING_BASE_URL and SOCIAL_PUBLISHING_ACCESS_KEY.
 */
import { parseArgs } from 'node:util';
import { SocialPublishing, type AttentionReason } from 'social-publishing';

const usage = `Usage: token-health [--days N] [--profile ID] [--json]

  --days N      how many days ahead an expiry counts (default 7)
  --profile ID  only the accounts of this profile
  --json        one JSON object per line

Exits with 0 if no account needs attention, 2 if some do, 1 if it failed.`;

const advice: Readonly<Record<AttentionReason, string>> = {
  auth_failed: 'is not authorized any more: connect it again',
  reconnect_required: 'has to be connected again',
  expires_soon: "has a token that expires and isn't refreshed automatically: connect it again before that",
  insights_unreadable: 'does not let its insights be read: grant the permission for them',
};

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      days: { type: 'string', default: '7' },
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const client = new SocialPublishing();
  let found = 0;
  const accounts = client.integrations.needingAttention({ withinDays: Number(values.days) });
  for await (const { integration, reason, expiresAt } of accounts) {
    const { id, platform = 'unknown', username = '', profileId } = integration;
    if (values.profile !== undefined && profileId !== values.profile) continue;
    found += 1;
    const when = expiresAt === undefined ? '' : ` (token: ${expiresAt})`;
    if (values.json) console.log(JSON.stringify({ id, platform, username, reason, expiresAt }));
    else console.log(`${platform} @${username} (${id}) ${advice[reason]}${when}`);
  }
  if (!values.json) console.log(found === 0 ? 'No account needs anybody.' : `${String(found)} need attention.`);
  return found === 0 ? 0 : 2;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
