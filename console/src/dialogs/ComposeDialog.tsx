import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import {
  preflight,
  targetOf,
  targetResults,
  type CreatePostBody,
  type MediaItem,
  type Post,
  type PostTargetInput,
  type PreflightFinding,
} from 'social-publishing';
import { Dialog } from '../parts/Dialog.js';
import { Field, fieldsOf, linesOf } from '../parts/Field.js';
import type { FieldProblems } from '../parts/field-problems.js';
import { Form } from '../parts/Form.js';
import { TimeField } from '../parts/TimeField.js';
import { emulatorNow } from '../state/clock.js';
import { forgetPost, keepPost, keptPost, type KeptPost } from '../state/kept-post.js';
import { changed } from '../state/live.js';
import { notifyError } from '../state/notify-error.js';
import { notifyOfPost } from '../state/post-notice.js';
import { confirmPast, warningOfPast } from '../state/reschedule.js';
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
  const { kept, clear } = useKept(from === undefined);
  const [mode, setMode] = useState(modes.find((known) => known.mode === kept?.mode)?.mode ?? 'scheduled');
  const [isLate, setLate] = useState(false);
  return (
    <Dialog title={from === undefined ? 'New post' : 'Duplicate of a post'} onClose={onClose} wide>
      <Form
        key={kept === undefined ? 'new' : 'kept'}
        submit={modes.find((known) => known.mode === mode)?.submit}
        confirm={isLate && mode === 'scheduled' ? confirmPast : undefined}
        onChanged={from === undefined ? keepPost : undefined}
        check={(fields, form) => problemsOf(fields, form, mode)}
        onSubmit={async (fields, form) => {
          await createPost(fields, form, mode);
          if (from === undefined) forgetPost();
          if (form.isConnected) onClose();
        }}
      >
        {kept !== undefined && <KeptHint clear={clear} />}
        <Content first={kept?.content ?? from?.content} />
        <ModeChoice mode={mode} onChoose={setMode} />
        {mode === 'scheduled' && (
          <TimeField
            label="Time"
            first={keptTime(kept, day) ?? firstTime(day)}
            warningOf={warningOfPast}
            onTime={(time) => {
              setLate(warningOfPast(time) !== '');
            }}
          >
            By the emulator's clock it is {formatDateTime(emulatorNow())}.
          </TimeField>
        )}
        {/* After the time: with many accounts, it would be many Tabs away. */}
        <MissingTargets count={missing} />
        <AccountChoice chosen={kept === undefined ? chosen : new Set(kept.accounts)} />
        <Media text={kept?.media ?? urlsOf(from?.mediaItems)} />
        <Findings mode={mode} />
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

/** In a text that is there already, a user continues at the end. */
function Content({ first }: { readonly first: string | undefined }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    const end = field.current?.value.length ?? 0;
    field.current?.setSelectionRange(end, end);
  }, [first]);
  return (
    <Field label="Content">
      <textarea ref={field} name="content" rows={5} defaultValue={first} dir="auto" autoFocus />
    </Field>
  );
}

/** The time of a kept text, if it is not past and the form is not for a certain day. */
function keptTime(kept: KeptPost | undefined, day: string | undefined): string | undefined {
  if (kept === undefined || kept.time === '' || day !== undefined) return undefined;
  return warningOfPast(fromField(kept.time)) === '' ? kept.time : undefined;
}

function MissingTargets({ count }: { readonly count: number }) {
  if (count === 0) return null;
  return (
    <p class="warn">
      {count === 1 ? '1 target could not be copied. Choose it.' : `${count} targets could not be copied. Choose them.`}
    </p>
  );
}

function KeptHint({ clear }: { readonly clear: () => void }) {
  return (
    <p class="warn">
      You wrote this before, and did not send it.{' '}
      <button type="button" class="link" onClick={clear}>
        Begin again
      </button>
    </p>
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
            value={value}
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
      hint="URLs of images, one per line. The emulator accepts them as mediaItems. The API document does not show this field."
    >
      <textarea name="media" rows={2} defaultValue={text} placeholder="https://example.com/picture.jpg" />
    </Field>
  );
}

/** Shows what `preflight` finds, in its words. */
function Findings({ mode }: { readonly mode: Mode }) {
  const [findings, setFindings] = useState<readonly PreflightFinding[] | undefined>();
  const check = async (form: HTMLFormElement) => {
    const { body, extraBody } = requestOf(fieldsOf(form), form, mode);
    setFindings((await preflight(client(), body, { extraBody })).findings);
  };
  return (
    <div>
      <button
        type="button"
        class="link"
        onClick={({ currentTarget: { form } }) => {
          if (form !== null) check(form).catch(notifyError);
        }}
      >
        Check the post
      </button>
      <div role="status">
        {findings?.length === 0 && <p>Nothing found.</p>}
        {findings?.map(({ severity, code, message }) => (
          <p key={message} class="warn">
            {severity} {code}: {message}
          </p>
        ))}
      </div>
    </div>
  );
}

/** Returns the morning of the chosen day if that is in the future, else an hour from now. */
function firstTime(day: string | undefined): string {
  const now = emulatorNow();
  const inAnHour = toField(now + 3_600_000);
  if (day === undefined || day < addDays(dayOf(now), 1)) return inAnHour;
  return `${day}T09:00`;
}

function problemsOf({ content, media }: Record<string, string>, form: HTMLFormElement, mode: Mode): FieldProblems {
  const isEmpty = content === undefined && media === undefined;
  const hasNoAccount = mode !== 'draft' && targetsIn(form).length === 0;
  const wrong = linesOf(media).find((line) => !isWebAddress(line));
  return {
    ...(isEmpty ? { content: 'Write something, or add media.' } : {}),
    ...(hasNoAccount ? { account: 'Choose at least one account. Only a draft works without accounts.' } : {}),
    ...(wrong === undefined ? {} : { media: `“${wrong}” is not a URL that starts with https:// or http://.` }),
  };
}

const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);

function requestOf({ content = '', time = '', media }: Record<string, string>, form: HTMLFormElement, mode: Mode) {
  const urls = linesOf(media);
  const extraBody = urls.length === 0 ? undefined : { mediaItems: urls.map((url) => ({ type: 'image', url })) };
  return { body: bodyOf(mode, content, targetsIn(form).map(targetOf), time), extraBody };
}

async function createPost(fields: Record<string, string>, form: HTMLFormElement, mode: Mode): Promise<void> {
  const { body, extraBody } = requestOf(fields, form, mode);
  const created = await client().posts.create(body, { extraBody });
  notifyOfPost('The post', { ...created, failed: targetResults(created).failed });
  changed('post');
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
