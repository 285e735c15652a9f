import { Code } from '../parts/Code.js';
import { BusyButton } from '../parts/Busy.js';
import { ConfirmButton } from '../parts/ConfirmButton.js';
import { Dialog } from '../parts/Dialog.js';
import { Field } from '../parts/Field.js';
import { Form } from '../parts/Form.js';
import { changed } from '../state/live.js';
import { notify } from '../state/notices.js';
import { get, post, put } from '../world/workbench.js';

type Target = 'start' | 'demo' | 'empty';

const targets: readonly { readonly to: Target; readonly label: string; readonly done: string }[] = [
  { to: 'start', label: 'Reset to the start', done: 'The emulator is as it was at its start.' },
  { to: 'demo', label: 'Load the demo', done: 'The demo is loaded.' },
  { to: 'empty', label: 'Remove everything', done: 'The emulator is empty.' },
];

/** Replaces, saves and restores the state of the emulator. */
export function StateDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="State of the emulator" onClose={onClose} wide>
      <h3>Replace it</h3>
      <p class="hint">This removes all posts, accounts, faults and records of the emulator.</p>
      <div class="button-row">
        {targets.map(({ to, label, done }) => (
          <ConfirmButton
            key={to}
            label={label}
            confirm="Press again to replace the state"
            onPress={async () => {
              await post('reset', { to });
              notify(done);
              changed('post', 'account', 'fault');
            }}
          />
        ))}
      </div>
      <h3>Save and restore it</h3>
      <div class="button-row">
        <BusyButton onPress={save}>Save the state as a file</BusyButton>
      </div>
      <Form
        submit="Restore from the file"
        label="Restore a state"
        onSubmit={async (_, form) => {
          await restore(form);
          form.reset();
        }}
      >
        <Field label="State file" hint="A file that you saved here, or the file of --state.">
          <input name="file" type="file" accept="application/json,.json" required />
        </Field>
      </Form>
      <h3>The same from a terminal</h3>
      <Code label="Commands" text={commands()} />
    </Dialog>
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

async function restore(form: HTMLFormElement): Promise<void> {
  const file = new FormData(form).get('file');
  if (!(file instanceof File)) throw new Error('Choose a file.');
  let state: unknown;
  try {
    state = JSON.parse(await file.text());
  } catch {
    throw new Error('The file is not JSON. Choose a file that was saved here.');
  }
  await put('state', state);
  notify('The state is restored.');
  changed('post', 'account', 'fault');
}

function commands(): string {
  const api = new URL('./_emulator', location.href).href;
  return [
    `curl -X POST ${api}/reset -d '{"to":"demo"}'`,
    `curl ${api}/state > state.json`,
    `curl -X PUT ${api}/state -d @state.json`,
    'npx -p social-publishing social-publishing-emulator --seed demo --state state.json',
  ].join('\n');
}
