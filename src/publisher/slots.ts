/** The times that `correlate: 'schedule'` gives to intents. */
import { momentOf } from '../model/instant.js';
import type { Claims } from './claims.js';
import { wireOf } from './content.js';
import type { PublisherSettings } from './options.js';
import type { IntentRecord } from './record.js';

/** How far ahead a post is scheduled that was to be published now: long enough for a clock that is a little off. */
const aheadMs = 60_000;
/** A time that is nearer than this may be past when the request arrives. */
const nearestMs = 10_000;

/** The time that an intent is to be sent with; `undefined`: the one that it has, or none of its own. */
export async function chooseSlot(
  { correlate, publishNowAs }: PublisherSettings,
  claims: Claims,
  record: IntentRecord,
  serviceNow: number,
): Promise<number | undefined> {
  if (correlate === undefined) return undefined;
  const last = record.slots?.at(-1);
  const { scheduledFor, publishNow } = wireOf(record);
  if (typeof scheduledFor === 'string') {
    // Without an offset it stands in a time zone that only the service knows.
    const at = momentOf(scheduledFor);
    return at === undefined ? undefined : (last ?? claims.claimSlot(at, record.key));
  }
  if (publishNow !== true || publishNowAs === undefined) return undefined;
  if (last !== undefined && last > serviceNow + nearestMs) return last;
  return claims.claimSlot(Math.round(serviceNow) + aheadMs, record.key);
}
