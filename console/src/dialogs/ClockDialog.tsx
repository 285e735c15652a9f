import { BusyButton } from '../parts/Busy.js';
import { ClockSteps } from '../parts/ClockBar.js';
import { Dialog } from '../parts/Dialog.js';
import { Form } from '../parts/Form.js';
import { Icon } from '../parts/Icon.js';
import { clockMoves } from '../commands/clock-moves.js';
import { moveClock } from '../commands/move-clock.js';
import { step } from '../commands/step.js';
import { advanceClock, clock, emulatorNow, setClock } from '../state/clock.js';
import { TimeField } from '../parts/TimeField.js';
import { ZoneButton } from '../parts/ZoneButton.js';
import { openDialog } from '../state/dialogs.js';
import { nameOfEvent } from '../state/next-event.js';
import { posts, timeOf } from '../state/posts.js';
import { isNarrow } from '../state/screen.js';
import { formatDateTime, fromField, instant, toField } from '../state/time.js';

const steps = [
  { label: '+1 day', by: { days: 1 } },
  { label: '+1 week', by: { days: 7 } },
] as const;

/** The field has no seconds, so the present time in it is past. */
const minuteMs = 60_000;

/** How many of the next posts are listed. */
const shownPosts = 5;

/** Moves the clock to a time, and lists the posts that are due next. */
export function ClockDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Clock of the emulator" onClose={onClose}>
      {/* The header of a narrow page has no room for most of them. */}
      {isNarrow.value && <Moves />}
      <Form
        submit="Go to this time"
        label="Go to a time"
        class="form time-form"
        onSubmit={async ({ time = '' }) => {
          await moveClock(() => setClock(fromField(time)));
        }}
      >
        <TimeField label="Date and time" first={toField(emulatorNow())} renewal={clockMoves.value}>
          {(time: Date) =>
            time.getTime() < emulatorNow() - minuteMs
              ? 'That time is past: the clock goes back, and nothing is undone.'
              : 'What is due until then happens now.'
          }
        </TimeField>
      </Form>
      {isNarrow.value && <ZoneButton inWords />}
      {!isNarrow.value && <Moves />}
      <NextEvent />
      <NextPosts />
    </Dialog>
  );
}

function Moves() {
  return (
    <div class="button-row">
      {isNarrow.value && <ClockSteps />}
      {steps.map(({ label, by }) => (
        <BusyButton key={label} class="button button-small" onPress={() => moveClock(() => advanceClock(by))}>
          {label}
        </BusyButton>
      ))}
    </div>
  );
}

function NextEvent() {
  const { next, nextDue } = clock.value ?? {};
  return (
    <>
      <h3>Due next</h3>
      {next && nextDue ? (
        <div class="next-event">
          <p>
            {formatDateTime(nextDue)}: <bdi>{nameOfEvent(next)}</bdi>
          </p>
          <BusyButton class="button button-small" onPress={step}>
            <Icon name="step" />
            Step to it
          </BusyButton>
        </div>
      ) : (
        <p class="hint">Nothing is due.</p>
      )}
    </>
  );
}

function NextPosts() {
  const now = emulatorNow();
  const next = posts.value
    .flatMap((post) => {
      const time = post.status === 'scheduled' ? timeOf(post) : undefined;
      return time !== undefined && instant(time).getTime() >= now ? [{ post, time: instant(time) }] : [];
    })
    .sort((a, b) => a.time.getTime() - b.time.getTime());
  return (
    <>
      <h3>Scheduled posts</h3>
      {next.length === 0 && <p class="hint">No post is scheduled.</p>}
      <ul role="list" class="fault-list">
        {next.slice(0, shownPosts).map(({ post, time }) => (
          <li key={post.postId}>
            <div>
              <p class="line" dir="auto">
                {post.content}
              </p>
              <p class="hint">{formatDateTime(time)}</p>
            </div>
            <div class="button-row">
              <BusyButton
                class="button button-small"
                label={`Go to its time, ${formatDateTime(time)}`}
                onPress={() => moveClock(() => setClock(time))}
              >
                Go to its time
              </BusyButton>
              <button
                type="button"
                class="button button-small"
                aria-label={`Open ${post.content ?? post.postId}`}
                onClick={() => {
                  openDialog.value = { kind: 'post', postId: post.postId };
                }}
              >
                Open
              </button>
            </div>
          </li>
        ))}
      </ul>
    </>
  );
}
