import { BusyButton } from '../parts/Busy.js';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { Form } from '../parts/Form.js';
import { advanceClock, clock, emulatorNow, setClock } from '../state/clock.js';
import { openDialog } from '../state/dialogs.js';
import { notify } from '../state/notices.js';
import { posts, timeOf } from '../state/posts.js';
import { formatDateTime, instant, toField } from '../state/time.js';

const steps = [
  { label: '+1 day', by: { days: 1 } },
  { label: '+1 week', by: { days: 7 } },
] as const;

/** How many of the next posts are listed. */
const shownPosts = 5;

/** Moves the clock to a time, and lists the posts that are due next. */
export function ClockDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Clock of the emulator" onClose={onClose}>
      <Form
        submit="Go to this time"
        label="Go to a time"
        onSubmit={async ({ time = '' }) => {
          const to = new Date(time);
          const isBack = to.getTime() < emulatorNow();
          await setClock(to);
          notify(isBack ? 'The clock went back. Nothing was undone.' : `It is ${formatDateTime(to)}.`);
        }}
      >
        <Field label="Date and time" hint="In your time zone. What is due until then happens now.">
          <input name="time" type="datetime-local" defaultValue={toField(emulatorNow())} required />
        </Field>
      </Form>
      <div class="button-row">
        {steps.map(({ label, by }) => (
          <BusyButton key={label} onPress={() => advanceClock(by)}>
            {label}
          </BusyButton>
        ))}
      </div>
      <NextPosts />
    </Dialog>
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
  const due = clock.value?.nextDue ?? undefined;
  return (
    <>
      <h3>Due next</h3>
      {due !== undefined && <p class="hint">The next change is at {formatDateTime(due)}.</p>}
      {next.length === 0 && <p class="hint">No post is scheduled.</p>}
      <ul role="list" class="fault-list">
        {next.slice(0, shownPosts).map(({ post, time }) => (
          <li key={post.postId}>
            <div>
              <p class="line">
                <bdi>{post.content}</bdi>
              </p>
              <p class="hint">{formatDateTime(time)}</p>
            </div>
            <div class="button-row">
              <BusyButton
                class="button button-small"
                label={`Go to ${formatDateTime(time)}`}
                onPress={() => setClock(time)}
              >
                Go to
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
