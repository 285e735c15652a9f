import type { NotificationSubscription } from 'social-publishing';
import { Code } from '../../parts/Code.js';
import { Empty } from '../../parts/Empty.js';
import { Loading } from '../../parts/Loading.js';
import { subscriptions } from './deliveries.js';
import { SubscribeForm } from './SubscribeForm.js';

export function SubscriptionsTab() {
  const all = subscriptions.value.value;
  if (all === undefined) return <Loading error={subscriptions.error.value} />;
  return (
    <div class="split split-wide">
      <section class="panel stack" aria-label="Subscriptions">
        <h2>Subscriptions</h2>
        {all.length === 0 ? (
          <Empty icon="webhooks" title="No subscriptions yet">
            <p>Subscribe the URL of your receiver with the form, or call notifications.create().</p>
          </Empty>
        ) : (
          <>
            <ul role="list" class="subscriptions">
              {all.map((subscription) => (
                <Subscription key={subscription.id} subscription={subscription} />
              ))}
            </ul>
            <p class="hint">
              The API has no operation that removes a subscription. A reset of the emulator removes all.
            </p>
          </>
        )}
      </section>
      <SubscribeForm />
    </div>
  );
}

function Subscription({ subscription }: { readonly subscription: NotificationSubscription }) {
  const { id, channel, webhook, email, eventTypes = [], enabled, profileId, onlyScheduledPosts } = subscription;
  const facts = [
    channel,
    id,
    enabled === false && 'not enabled',
    profileId !== undefined && `profile ${profileId}`,
    onlyScheduledPosts === true && 'only scheduled posts',
  ].filter((fact) => fact !== false && fact !== undefined);
  return (
    <li>
      <h3>{webhook?.url ?? email?.recipients?.join(', ') ?? channel}</h3>
      <p>{eventTypes.join(', ')}</p>
      <p class="hint">{facts.join(' · ')}</p>
      {webhook?.secret !== undefined && (
        <details>
          <summary>Signing secret</summary>
          <Code label={`Secret of ${id}`} text={webhook.secret} />
        </details>
      )}
    </li>
  );
}
