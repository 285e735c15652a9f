import type { ComponentChildren } from 'preact';
import { BusyButton } from '../parts/Busy.js';
import { Code } from '../parts/Code.js';
import { ConfirmButton } from '../parts/ConfirmButton.js';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { FieldError, type FieldProblems } from '../parts/field-problems.js';
import { Form } from '../parts/Form.js';
import { changed } from '../state/live.js';
import { forgetEarlierState } from '../state/earlier-state.js';
import { followAddress } from '../state/history.js';
import { dismiss, notify, type NoticeAction } from '../state/notices.js';
import { resets, resetTo } from '../state/reset.js';
import { addressOf } from '../state/route.js';
import { get, post, put } from '../world/workbench.js';

/** A file that the emulator reads. */
interface ImportedFile {
  readonly title: string;
  readonly about: string;
  readonly label: string;
  readonly hint: string;
  readonly submit: string;
  /** The label of the button after a first press, if the file replaces something. */
  readonly confirm?: string;
  readonly done: string;
  /** Leads to the result. */
  readonly show?: NoticeAction;
  readonly command: (api: string) => string;
  /** Whether the file contains a list instead of an object. */
  readonly isList?: boolean;
  /** Returns why the content is not of this kind. Undefined: it seems to be. */
  readonly problemOf?: (content: object) => string | undefined;
  readonly send: (content: object) => Promise<unknown>;
}

const files: readonly ImportedFile[] = [
  {
    title: 'Import',
    about: 'This replaces the clock and all posts, accounts, faults and records with the saved ones.',
    label: 'State file',
    hint: 'A file that you exported, or the file of --state.',
    submit: 'Import the state',
    confirm: 'Confirm the import',
    done: 'The state is restored.',
    command: (api) => `curl -X PUT ${api}/state -d @emulator-state.json`,
    problemOf: (state) =>
      'format' in state && typeof state.format === 'string' && 'version' in state
        ? undefined
        : 'This is not a state file of the emulator: it has no format and version. Choose a file that you exported.',
    send: async (state) => {
      await put('state', state);
      forgetEarlierState();
    },
  },
  {
    title: 'Add records from a seed file',
    about: 'The records are added to the present ones. An invalid file adds nothing.',
    label: 'Seed file',
    hint: '{ "integrations": [...], "posts": [...] }, as for --seed.',
    submit: 'Add the records',
    done: 'The records are added.',
    command: (api) => `curl -X POST ${api}/seed -d @seed.json`,
    problemOf: (file) =>
      'format' in file ? 'This is a state file, not a seed file. To restore it, use “Import the state”.' : undefined,
    send: (file) => post('seed', file),
  },
  {
    title: 'Plan a scenario',
    about: 'Faults, outcomes and records at later times of the clock, from now on.',
    label: 'Scenario file',
    hint: '[{ "at": { "hours": 2 }, "outcomes": ... }], as for --scenario.',
    submit: 'Plan the scenario',
    done: 'The scenario is planned.',
    show: {
      label: 'Show',
      run: () => {
        followAddress(addressOf('faults'));
      },
    },
    command: (api) => `curl -X POST ${api}/scenario -d @scenario.json`,
    isList: true,
    send: (steps) => post('scenario', steps),
  },
];

/** Replaces, saves and extends the state of the emulator. Each action shows the command that does the same. */
export function StateDialog({ onClose }: { readonly onClose: () => void }) {
  const api = new URL('./_emulator', location.href).href;
  return (
    <Dialog title="State of the emulator" onClose={onClose} wide>
      <Part
        title="Reset"
        about="This replaces all posts, accounts, faults and records of the emulator."
        command={`curl -X POST ${api}/reset -d '{"to":"demo"}'   # or "start", "empty"`}
      >
        <div class="button-row">
          {resets.map(({ to, label, confirm, icon }) => (
            <ConfirmButton key={to} icon={icon} label={label} confirm={confirm} onPress={() => resetTo(to)} />
          ))}
        </div>
      </Part>
      <Part
        title="Export"
        about="The whole state as one JSON file: the clock, records, faults and traffic."
        command={`curl ${api}/state > emulator-state.json`}
      >
        <BusyButton onPress={save}>Export the state</BusyButton>
      </Part>
      {files.map((file) => (
        <Part key={file.label} title={file.title} about={file.about} command={file.command(api)}>
          <FileForm file={file} />
        </Part>
      ))}
    </Dialog>
  );
}

function Part({
  title,
  about,
  command,
  children,
}: {
  readonly title: string;
  readonly about: string;
  readonly command: string;
  readonly children: ComponentChildren;
}) {
  return (
    <section class="state-part" aria-label={title}>
      <h3>{title}</h3>
      <p class="hint">{about}</p>
      {children}
      <details>
        <summary>The same from a terminal</summary>
        <Code label={`Command: ${title}`} text={command} />
      </details>
    </section>
  );
}

/** The notice of the latest file: it disappears when the next one is sent. */
let success: number | undefined;

function FileForm({ file }: { readonly file: ImportedFile }) {
  const { label, hint, submit, confirm, done, show, send } = file;
  return (
    <Form
      class="form file-form"
      submit={submit}
      confirm={confirm}
      label={submit}
      check={(_, form) => problemsOf(form, file)}
      onSubmit={async (_, form) => {
        await send(await contentOf(form, file));
        form.reset();
        success = notify(done, 'good', show);
        changed('post', 'account', 'fault');
      }}
    >
      <Field label={label} hint={hint}>
        <input name="file" type="file" accept="application/json,.json" required />
      </Field>
    </Form>
  );
}

async function save(): Promise<void> {
  const text = JSON.stringify(await get('state'), null, 2);
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'emulator-state.json';
  link.click();
  URL.revokeObjectURL(address);
}

/** Checks the file before the user confirms that it replaces the state. */
async function problemsOf(form: HTMLFormElement, file: ImportedFile): Promise<FieldProblems> {
  if (success !== undefined) dismiss(success);
  try {
    await contentOf(form, file);
    return {};
  } catch (error) {
    if (error instanceof FieldError) return { [error.field]: error.message };
    throw error;
  }
}

async function contentOf(form: HTMLFormElement, { isList = false, problemOf }: ImportedFile): Promise<object> {
  const file = new FormData(form).get('file');
  if (!(file instanceof File)) throw new FieldError('file', 'Choose a file.');
  const content = parsed(await file.text());
  if (content === undefined) throw new FieldError('file', 'The file is not JSON. Choose another file.');
  if (typeof content !== 'object' || content === null || Array.isArray(content) !== isList)
    throw new FieldError('file', `The file must contain ${isList ? 'a list' : 'an object'}. Choose another file.`);
  const problem = problemOf?.(content);
  if (problem !== undefined) throw new FieldError('file', problem);
  return content;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
