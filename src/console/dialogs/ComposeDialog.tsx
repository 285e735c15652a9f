import { useState } from 'preact/hooks';
import { targetOf, type CreatePostBody, type PostTargetInput } from 'social-publishing';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { FieldError } from '../parts/field-problems.js';
import { Form } from '../parts/Form.js';
import { emulatorNow } from '../state/clock.js';
import { changed } from '../state/live.js';
import { notify } from '../state/notices.js';
import { addDays, dayOf, formatDateTime, toField } from '../state/time.js';
import { client } from '../world/session.js';
import { AccountChoice, targetsIn } from './AccountChoice.js';

type Mode = 'draft' | 'now' | 'scheduled';

const modes: readonly { readonly mode: Mode; readonly words: string; readonly submit: string }[] = [
  { mode: 'scheduled', words: 'At a fixed time', submit: 'Schedule' },
  { mode: 'now', words: 'Now', submit: 'Publish now' },
  { mode: 'draft', words: 'As a draft', submit: 'Save draft' },
];

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function ComposeDialog({ day, onClose }: { readonly day: string | undefined; readonly onClose: () => void }) {
  const [mode, setMode] = useState<Mode>('scheduled');
  return (
    <Dialog title="New post" onClose={onClose} wide>
      <Form
        submit={modes.find((known) => known.mode === mode)?.submit}
        onSubmit={async (fields, form) => {
          await createPost(fields, form, mode);
          form.closest('dialog')?.close();
        }}
      >
        <Field label="Content">
          <textarea name="content" rows={5} autoFocus />
        </Field>
        <AccountChoice />
        <fieldset class="choices choices-row">
          <legend>When</legend>
          {modes.map(({ mode: value, words }) => (
            <label key={value} class="choice">
              <input
                type="radio"
                name="mode"
                checked={mode === value}
                onChange={() => {
                  setMode(value);
                }}
              />
              {words}
            </label>
          ))}
        </fieldset>
        {mode === 'scheduled' && (
          <Field
            label="Time"
            hint={`In your time zone, ${zone}. By the emulator's clock it is ${formatDateTime(emulatorNow())}.`}
          >
            <input name="time" type="datetime-local" defaultValue={firstTime(day)} required />
          </Field>
        )}
        <Media />
      </Form>
    </Dialog>
  );
}

function Media() {
  return (
    <Field
      label="Media"
      hint="URLs of images, one per line. The API document mentions media without showing the field: the page sends it through extraBody, as mediaItems."
    >
      <textarea name="media" rows={2} placeholder="https://example.com/picture.jpg" />
    </Field>
  );
}

/** Returns the morning of the chosen day if that is in the future, else an hour from now. */
function firstTime(day: string | undefined): string {
  const now = emulatorNow();
  const inAnHour = toField(now + 3_600_000);
  if (day === undefined || day < addDays(dayOf(now), 1)) return inAnHour;
  return `${day}T09:00`;
}

async function createPost(fields: Record<string, string>, form: HTMLFormElement, mode: Mode): Promise<void> {
  const { content = '', time = '', media = '' } = fields;
  if (content === '' && media === '') throw new FieldError('content', 'Write something, or add media.');
  const platforms = targetsIn(form).map(targetOf);
  if (mode !== 'draft' && platforms.length === 0)
    throw new FieldError('account', 'Choose at least one account. Only a draft works without accounts.');
  const urls = media.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  const created = await client().posts.create(
    bodyOf(mode, content, platforms, time),
    urls.length === 0 ? {} : { extraBody: { mediaItems: urls.map((url) => ({ type: 'image', url })) } },
  );
  notify(
    `The post is ${created.status ?? 'created'}${mode === 'scheduled' ? ` for ${formatDateTime(created.scheduledFor)}` : ''}.`,
  );
  changed('post');
}

function bodyOf(mode: Mode, content: string, platforms: PostTargetInput[], time: string): CreatePostBody {
  switch (mode) {
    case 'draft':
      return { content, saveAsDraft: true, ...(platforms.length === 0 ? {} : { platforms }) };
    case 'now':
      return { content, platforms, publishNow: true };
    case 'scheduled':
      return { content, platforms, scheduledFor: new Date(time) };
  }
}
