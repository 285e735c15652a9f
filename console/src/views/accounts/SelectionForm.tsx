import { useState } from 'preact/hooks';
import { BusyButton } from '../../parts/Busy.js';
import { Field, listOf } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { client } from '../../world/session.js';
import { post } from '../../world/workbench.js';

type SelectionPlatform = 'facebook' | 'instagram';

/** Finishes a selection of Pages or accounts with a one-time token. */
export function SelectionForm() {
  const [platform, setPlatform] = useState<SelectionPlatform>('facebook');
  const [offer, setOffer] = useState({ token: '', ids: '' });
  return (
    <section class="panel">
      <h2>Select Pages and accounts</h2>
      <p class="hint">“Seed a selection” fills in a token and its accounts. You can also paste your own.</p>
      <BusyButton
        class="button button-small"
        onPress={async () => {
          setOffer(await seedSelection(platform));
        }}
      >
        Seed a selection
      </BusyButton>
      <Form submit="Select" onSubmit={(fields, form) => select(platform, fields, form)}>
        <div class="form-row">
          <Field label="Platform">
            <select
              value={platform}
              onChange={({ currentTarget }) => {
                setPlatform(currentTarget.value === 'instagram' ? 'instagram' : 'facebook');
              }}
            >
              <option value="facebook">Facebook Pages</option>
              <option value="instagram">Instagram accounts</option>
            </select>
          </Field>
          <Field label="Token">
            <input name="token" key={offer.token} defaultValue={offer.token} autocomplete="off" required />
          </Field>
          <Field label="Account IDs" hint="Separated by commas.">
            <input name="ids" key={offer.ids} defaultValue={offer.ids} autocomplete="off" required />
          </Field>
        </div>
      </Form>
    </section>
  );
}

/** Creates a token with two accounts to choose from. */
async function seedSelection(platform: SelectionPlatform): Promise<{ readonly token: string; readonly ids: string }> {
  const ids = ['one', 'two'].map((name) => `${platform}_${name}_${Date.now().toString(36)}`);
  const { token } = await post<{ readonly token: string }>('seed/selection', {
    platform,
    accounts: ids.map((id) => ({ id, username: id })),
  });
  return { token, ids: ids.join(', ') };
}

async function select(
  platform: SelectionPlatform,
  fields: Record<string, string>,
  form: HTMLFormElement,
): Promise<void> {
  const { token = '', ids } = fields;
  const { integrations } = client();
  const body = { selectedAccountIds: listOf(ids) };
  const saved =
    platform === 'facebook'
      ? await integrations.selectFacebookPages(token, body)
      : await integrations.selectInstagramAccounts(token, body);
  form.reset();
  notify(`Saved ${saved.integrations.length} accounts.`);
  changed('account');
}
