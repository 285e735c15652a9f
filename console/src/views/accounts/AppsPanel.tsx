import { knownPlatforms, type OAuthApp } from 'social-publishing';
import { PlatformBadge } from '../../parts/Badges.js';
import { Field } from '../../parts/Field.js';
import { Form } from '../../parts/Form.js';
import { PlatformOptions } from '../../parts/Options.js';
import { changed } from '../../state/live.js';
import { notify } from '../../state/notices.js';
import { remote } from '../../state/remote.js';
import { useRemote } from '../../state/use-remote.js';
import { client } from '../../world/session.js';
import { get } from '../../world/workbench.js';

/** The API document shows no list of apps. The control API returns them. */
const apps = remote(async () => (await get<{ readonly apps: readonly OAuthApp[] }>('apps')).apps, ['account']);

export function AppsPanel() {
  const all = useRemote(apps) ?? [];
  return (
    <section class="panel">
      <h2>Own OAuth apps</h2>
      {all.length === 0 ? (
        <p class="hint">No app is registered. An account can be connected under the ID of your own app.</p>
      ) : (
        <ul role="list" class="app-list">
          {all.map(({ id, platform, name, clientId, integrationCount }) => (
            <li key={id}>
              <PlatformBadge platform={platform} />
              <div>
                <strong>{name}</strong>
                <p class="hint">
                  <code>{id}</code> · client <code>{clientId}</code> · {integrationCount ?? 0} accounts
                </p>
              </div>
            </li>
          ))}
        </ul>
      )}
      <Form submit="Register" onSubmit={register}>
        <div class="form-row">
          <Field label="Platform">
            <select name="platform">
              <PlatformOptions />
            </select>
          </Field>
          <Field label="Name">
            <input name="name" required />
          </Field>
          <Field label="Client ID">
            <input name="clientId" autocomplete="off" required />
          </Field>
          <Field label="Client secret">
            <input name="clientSecret" type="password" autocomplete="off" required />
          </Field>
        </div>
      </Form>
    </section>
  );
}

async function register(fields: Record<string, string>, form: HTMLFormElement): Promise<void> {
  const { name, clientId, clientSecret } = fields;
  const platform = knownPlatforms.find((known) => known === fields['platform']);
  const app = await client().apps.create({ platform, name, clientId, clientSecret });
  form.reset();
  notify(`The app is registered as ${app.id}.`);
  changed('account');
}
