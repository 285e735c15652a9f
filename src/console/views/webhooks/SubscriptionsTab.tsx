import { Problem } from '../../parts/Problem.js';
import { subscriptions } from './deliveries.js';

export function Subscriptions() {
  const all = subscriptions.value.value ?? [];
  return (
    <section class="panel">
      <h2>Subscriptions</h2>
      <Problem text={subscriptions.error.value} retry={() => void subscriptions.reload()} />
      {all.length === 0 && <p class="hint">None yet. Use the form, or notifications.create().</p>}
      <ul role="list" class="subscriptions">
        {all.map(({ id, channel, webhook, email, eventTypes = [], enabled, profileId, onlyScheduledPosts }) => (
          <li key={id}>
            <p>
              <strong>{webhook?.url ?? email?.recipients?.join(', ') ?? channel}</strong>
            </p>
            <p class="hint">
              {eventTypes.join(', ')}
              {enabled === false && ' · not enabled'}
              {profileId !== undefined && ` · profile ${profileId}`}
              {onlyScheduledPosts === true && '· only scheduled posts'}
            </p>
            {webhook?.secret !== undefined && (
              <details>
                <summary>Signing secret</summary>
                <code class="secret">{webhook.secret}</code>
              </details>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
