import type { Post } from 'social-publishing';
import { moveClock } from '../commands/move-clock.js';
import { BusyButton } from '../parts/Busy.js';
import { Icon } from '../parts/Icon.js';
import { setClock } from '../state/clock.js';
import { instant } from '../state/time.js';

/** Moves the clock to the time of a scheduled post, so that it is published. */
export function GoToPost({ post: { status, scheduledFor } }: { readonly post: Post }) {
  if (status !== 'scheduled' || scheduledFor === undefined) return null;
  return (
    <BusyButton onPress={() => moveClock(() => setClock(instant(scheduledFor)))}>
      <Icon name="clock" />
      Move the clock to its time
    </BusyButton>
  );
}
