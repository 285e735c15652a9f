import { step } from '../commands/step.js';
import { advanceClock, clock, now, pauseClock, runClock, type NextEvent } from '../state/clock.js';
import { openDialog } from '../state/dialogs.js';
import { nameOfEvent } from '../state/next-event.js';
import { isNarrow } from '../state/screen.js';
import { formatDateTime, formatSeconds } from '../state/time.js';
import { BusyButton } from './Busy.js';
import { Icon } from './Icon.js';
import { ZoneButton } from './ZoneButton.js';

const fast = 10;

/** Shows the emulator's time, and controls to move it. */
export function ClockBar() {
  const state = clock.value;
  const isRunning = state?.running === true;
  const speed = state?.speed ?? 1;
  return (
    <section class="clock" aria-label="Clock of the emulator">
      <p class="clock-time">
        <button
          type="button"
          class="button button-quiet button-small clock-button"
          title="Go to a time"
          onClick={() => {
            openDialog.value = { kind: 'clock' };
          }}
        >
          <Icon name="clock" />
          <time>{isNarrow.value ? formatDateTime(now.value) : formatSeconds(now.value)}</time>
          <span class="unseen">: go to a time</span>
        </button>
        {!isNarrow.value && <ZoneButton />}
        <span class="clock-state">{isRunning ? (speed === 1 ? 'runs' : `runs ${speed}×`) : 'paused'}</span>
      </p>
      <div class="button-row">
        {isRunning ? (
          <BusyButton class="button button-small" title="Pause the clock" onPress={pauseClock}>
            <Icon name="pause" />
            <span class="narrow-unseen">Pause</span>
          </BusyButton>
        ) : (
          <BusyButton class="button button-small" title="Run the clock" onPress={() => runClock(1)}>
            <Icon name="play" />
            <span class="narrow-unseen">Run</span>
          </BusyButton>
        )}
        {/* On a phone, they are in the dialog of the clock. */}
        {!isNarrow.value && <ClockSteps />}
        <StepButton nextDue={state?.nextDue ?? undefined} next={state?.next ?? undefined} />
      </div>
    </section>
  );
}

/** Runs the clock fast, or moves it by an hour. */
export function ClockSteps() {
  return (
    <>
      <BusyButton class="button button-small" onPress={() => runClock(fast)}>
        <Icon name="faster" />
        10×<span class="unseen"> as fast</span>
      </BusyButton>
      <BusyButton class="button button-small" onPress={() => advanceClock({ hours: 1 })}>
        <span aria-hidden="true">+1 h</span>
        <span class="unseen">Advance by 1 hour</span>
      </BusyButton>
    </>
  );
}

function StepButton({ nextDue, next }: { readonly nextDue: string | undefined; readonly next: NextEvent | undefined }) {
  const name = next === undefined ? undefined : nameOfEvent(next);
  return (
    <BusyButton class="button button-small" disabled={nextDue === undefined} title={name} onPress={step}>
      <Icon name="step" />
      <span class="narrow-unseen">
        Step
        <span class="clock-next">{nextDue === undefined ? ': nothing is due' : ` to ${formatSeconds(nextDue)}`}</span>
      </span>
      {name !== undefined && (
        <span class="clock-next clock-name" aria-hidden="true">
          <bdi>{name}</bdi>
        </span>
      )}
    </BusyButton>
  );
}
