import type { ComponentChildren } from 'preact';
import { moveClock } from '../commands/move-clock.js';
import { step } from '../commands/step.js';
import { advanceClock, clock, now, pauseClock, runClock, type NextEvent } from '../state/clock.js';
import { openDialog } from '../state/dialogs.js';
import { nameOfEvent } from '../state/next-event.js';
import { connection } from '../state/live.js';
import { isNarrow } from '../state/screen.js';
import { formatDate, formatSeconds, formatSecondsAfter, formatTime } from '../state/time.js';
import { BusyButton } from './Busy.js';
import { Icon } from './Icon.js';
import { ZoneButton } from './ZoneButton.js';

const fast = 10;

/** Whether no emulator has a clock to move. */
const isLost = () => connection.value === 'lost';

/** Shows the emulator's time, and controls to move it. */
export function ClockBar() {
  const state = clock.value;
  const isRunning = state?.running === true;
  return (
    <section class="clock" aria-label="Clock of the emulator">
      <p class="clock-time">{isNarrow.value ? <NarrowTime /> : <WideTime />}</p>
      <div class="button-row">
        {isRunning ? (
          <BusyButton class="button button-small" title="Pause the clock" disabled={isLost()} onPress={pauseClock}>
            <Icon name="pause" />
            <span class="narrow-unseen">Pause</span>
          </BusyButton>
        ) : (
          <BusyButton class="button button-small" title="Run the clock" disabled={isLost()} onPress={() => runClock(1)}>
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

function WideTime() {
  return (
    <>
      <TimeButton>
        <Icon name="clock" />
        <time>{formatSeconds(now.value)}</time>
      </TimeButton>
      <ZoneButton />
      <ClockState />
    </>
  );
}

/** The time with its day below. The arrow shows that the button opens something. */
function NarrowTime() {
  return (
    <TimeButton>
      <span class="clock-lines">
        <span>
          <time>{formatTime(now.value)}</time> <ClockState />
        </span>{' '}
        <span class="clock-day">{formatDate(now.value)}</span>
      </span>
      <Icon name="down" />
    </TimeButton>
  );
}

function TimeButton({ children }: { readonly children: ComponentChildren }) {
  return (
    <button
      type="button"
      class="button button-quiet button-small clock-button"
      aria-haspopup="dialog"
      title="Go to a time"
      onClick={() => {
        openDialog.value = { kind: 'clock' };
      }}
    >
      {children}
      <span class="unseen">: go to a time</span>
    </button>
  );
}

function ClockState() {
  const { running = false, speed = 1 } = clock.value ?? {};
  if (isLost()) return null;
  return <span class="clock-state">{running ? (speed === 1 ? 'runs' : `runs ${speed}×`) : 'paused'}</span>;
}

/** Runs the clock fast, or moves it by an hour. */
export function ClockSteps() {
  return (
    <>
      <BusyButton class="button button-small" disabled={isLost()} onPress={() => runClock(fast)}>
        <Icon name="faster" />
        10×<span class="unseen"> as fast</span>
      </BusyButton>
      <BusyButton
        class="button button-small"
        disabled={isLost()}
        onPress={() => moveClock(() => advanceClock({ hours: 1 }))}
      >
        <span aria-hidden="true">+1 h</span>
        <span class="unseen">Advance by 1 hour</span>
      </BusyButton>
    </>
  );
}

function StepButton({ nextDue, next }: { readonly nextDue: string | undefined; readonly next: NextEvent | undefined }) {
  const name = next === undefined ? undefined : nameOfEvent(next);
  return (
    <BusyButton class="button button-small" disabled={nextDue === undefined || isLost()} title={name} onPress={step}>
      <Icon name="step" />
      <span class="narrow-unseen">
        Step
        <span class="clock-next">
          {nextDue === undefined ? ': nothing is due' : ` to ${formatSecondsAfter(nextDue, now.value)}`}
        </span>
      </span>
      {name !== undefined && (
        <span class="clock-next clock-name" aria-hidden="true">
          <bdi>{name}</bdi>
        </span>
      )}
    </BusyButton>
  );
}
