import { useState } from 'preact/hooks';
import {
  targetOf,
  targetResults,
  type CreatePostBody,
  type CreatePostResponse,
  type MediaItem,
  type Post,
  type PostTargetInput,
  type TargetResult,
} from 'social-publishing';
import { Dialog } from '../parts/Dialog.js';
import { Field, linesOf } from '../parts/Field.js';
import { FieldError } from '../parts/field-problems.js';
import { Form } from '../parts/Form.js';
import { TimeField } from '../parts/TimeField.js';
import { emulatorNow } from '../state/clock.js';
import { forgetPost, keepPost, keptPost } from '../state/kept-post.js';
import { openDialog } from '../state/dialogs.js';
import { changed } from '../state/live.js';
import { notify } from '../state/notices.js';
import { platformName } from '../state/platform-names.js';
import { warningOfPast } from '../state/reschedule.js';
import { addDays, dayOf, formatDateTime, fromField, toField } from '../state/time.js';
import { client } from '../world/session.js';
import { AccountChoice, targetsIn } from './AccountChoice.js';
import { useCopiedAccounts } from './copied-accounts.js';
import { useKnownPost } from './known-post.js';

type Mode = 'draft' | 'now' | 'scheduled';

const modes: readonly { readonly mode: Mode; readonly words: string; readonly submit: string }[] = [
  { mode: 'scheduled', words: 'At a fixed time', submit: 'Schedule' },
  { mode: 'now', words: 'Now', submit: 'Publish now' },
  { mode: 'draft', words: 'As a draft', submit: 'Save draft' },
];

interface Props {
  readonly onClose: () => void;
  readonly day?: string | undefined;
  /** The post that is copied. */
  readonly from?: Post;
  /** The accounts that are copied. */
  readonly chosen?: ReadonlySet<string>;
  /** The number of targets that cannot be copied. */
  readonly missing?: number;
}

/** Writes a copy of a post. */
export function CopyDialog({ postId, onClose }: { readonly postId: string; readonly onClose: () => void }) {
  const from = useKnownPost(postId);
  const copied = useCopiedAccounts(postId, from);
  if (from === undefined || copied === undefined) return null;
  return <ComposeDialog from={from} chosen={copied.chosen} missing={copied.missing} onClose={onClose} />;
}

export function ComposeDialog({ day, from, chosen, missing = 0, onClose }: Props) {
  const [mode, setMode] = useState<Mode>('scheduled');
  const { kept, clear } = useKept(from === undefined);
  return (
    <Dialog title={from === undefined ? 'New post' : 'Duplicate of a post'} onClose={onClose} wide>
      <Form
        key={kept === undefined ? 'new' : 'kept'}
        submit={modes.find((known) => known.mode === mode)?.submit}
        onChanged={from === undefined ? keepPost : undefined}
        onSubmit={async (fields, form) => {
          await createPost(fields, form, mode);
          if (from === undefined) forgetPost();
          if (form.isConnected) onClose();
        }}
      >
        <Field label="Content" hint={kept === undefined ? undefined : <KeptHint clear={clear} />}>
          <textarea name="content" rows={5} defaultValue={kept?.content ?? from?.content} dir="auto" autoFocus />
        </Field>
        <ModeChoice mode={mode} onChoose={setMode} />
        {mode === 'scheduled' && (
          <TimeField label="Time" first={firstTime(day)} warningOf={warningOfPast}>
            By the emulator's clock it is {formatDateTime(emulatorNow())}.
          </TimeField>
        )}
        {/* After the time: with many accounts, it would be many Tabs away. */}
        {missing > 0 && (
          <p class="warn">
            {missing === 1
              ? '1 target could not be copied. Choose it.'
              : `${missing} targets could not be copied. Choose them.`}
          </p>
        )}
        <AccountChoice chosen={kept === undefined ? chosen : new Set(kept.accounts)} />
        <Media text={kept?.media ?? urlsOf(from?.mediaItems)} />
      </Form>
    </Dialog>
  );
}

/** The text of a new post that was closed before it was sent, and a function that discards it. */
function useKept(isNew: boolean) {
  const [kept, setKept] = useState(() => (isNew ? keptPost() : undefined));
  const clear = () => {
    forgetPost();
    setKept(undefined);
  };
  return { kept, clear };
}

function KeptHint({ clear }: { readonly clear: () => void }) {
  return (
    <>
      You wrote this before, and did not send it.{' '}
      <button type="button" class="link" onClick={clear}>
        Begin again
      </button>
    </>
  );
}

function ModeChoice({ mode, onChoose }: { readonly mode: Mode; readonly onChoose: (mode: Mode) => void }) {
  return (
    <fieldset class="choices choices-row">
      <legend>When</legend>
      {modes.map(({ mode: value, words }) => (
        <label key={value} class="choice">
          <input
            type="radio"
            name="mode"
            checked={mode === value}
            onChange={() => {
              onChoose(value);
            }}
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

const urlsOf = (items: readonly MediaItem[] = []): string => items.flatMap(({ url }) => url ?? []).join('\n');

function Media({ text }: { readonly text: string }) {
  return (
    <Field
      label="Media"
      hint="URLs of images, one per line. The API document mentions media without showing the field: the page sends it through extraBody, as mediaItems."
    >
      <textarea name="media" rows={2} defaultValue={text} placeholder="https://example.com/picture.jpg" />
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
  const urls = linesOf(media);
  const created = await client().posts.create(
    bodyOf(mode, content, platforms, time),
    urls.length === 0 ? {} : { extraBody: { mediaItems: urls.map((url) => ({ type: 'image', url })) } },
  );
  notifyCreated(created, mode);
  changed('post');
}

function notifyCreated(created: CreatePostResponse, mode: Mode): void {
  const { postId, status = 'created', scheduledFor } = created;
  const { failed } = targetResults(created);
  if (status !== 'failed' && status !== 'partial' && failed.length === 0) {
    notify(`The post is ${status}${mode === 'scheduled' ? ` for ${formatDateTime(scheduledFor)}` : ''}.`);
    return;
  }
  const result = status === 'failed' ? 'The post failed.' : 'The post is published only in part.';
  notify(`${result} ${errorsOf(failed)}`, 'bad', {
    label: 'Open',
    run: () => {
      openDialog.value = { kind: 'post', postId };
    },
  });
}

/** Names each error once, with its platforms. */
function errorsOf(failed: readonly TargetResult[]): string {
  const platforms = new Map<string, string[]>();
  for (const { platform, error = 'failed' } of failed)
    platforms.set(error, [...(platforms.get(error) ?? []), platformName(platform)]);
  return [...platforms].map(([error, names]) => `${names.join(', ')}: ${error}`).join('; ');
}

function bodyOf(mode: Mode, content: string, platforms: PostTargetInput[], time: string): CreatePostBody {
  switch (mode) {
    case 'draft':
      return { content, saveAsDraft: true, ...(platforms.length === 0 ? {} : { platforms }) };
    case 'now':
      return { content, platforms, publishNow: true };
    case 'scheduled':
      return { content, platforms, scheduledFor: fromField(time) };
  }
}
