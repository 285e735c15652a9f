import { toggleUtc } from '../state/route.js';
import { ownZone, usesUtc, zoneName } from '../state/zone.js';

const isOwnUtc = ['UTC', 'Etc/UTC'].includes(ownZone);

interface Props {
  /** Shows the effect of the button in place of the zone. */
  readonly inWords?: boolean;
}

/** Shows the time zone of all times on the page, and switches it. */
export function ZoneButton({ inWords = false }: Props) {
  // There is nothing to switch.
  if (isOwnUtc) return inWords ? null : <span class="zone">UTC</span>;
  const other = usesUtc.value ? ownZone : 'UTC';
  return (
    <button
      type="button"
      class="button button-quiet button-small zone"
      aria-label={`Time zone: ${zoneName.value}. Show times in ${other}`}
      title={`Show times in ${other}`}
      onClick={toggleUtc}
    >
      {inWords ? `Show times in ${other}` : zoneName.value}
    </button>
  );
}
