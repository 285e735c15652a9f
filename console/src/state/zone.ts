import { computed, signal } from '@preact/signals';

/** Whether times are shown in UTC instead of the browser's time zone. The address contains it. */
export const usesUtc = signal(false);

/** The browser's time zone, for example `Europe/Berlin`. */
export const ownZone = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** The name of the zone in which the page shows times. */
export const zoneName = computed(() => (usesUtc.value ? 'UTC' : ownZone));
