import { BusyButton } from '../../parts/Busy.js';
import { focusHeading } from '../../parts/focus.js';
import { accounts } from '../../state/accounts.js';
import { openDialog } from '../../state/dialogs.js';
import { addressOf } from '../../state/route.js';
import { resetTo } from '../../state/reset.js';

/** The button disappears with the first post: the focus moves to the heading. */
async function loadDemo(): Promise<void> {
  await resetTo('demo');
  focusHeading();
}

/** The first steps in an emulator without posts. */
export function FirstSteps() {
  const hasAccounts = (accounts.value.value ?? []).length > 0;
  return (
    <div class="first-steps">
      <p>
        {hasAccounts
          ? 'Choose an account and a time. The post is published when the clock reaches it.'
          : 'The demo has accounts, posts, comments and deliveries. To write a post yourself, connect an account, then press New post.'}
      </p>
      <div class="button-row">
        {/* The demo replaces the state. Without accounts, there is nothing to lose. */}
        {!hasAccounts && (
          <BusyButton class="button button-main" onPress={loadDemo}>
            Load the demo
          </BusyButton>
        )}
        {hasAccounts ? (
          <button
            type="button"
            class="button button-main"
            onClick={() => {
              openDialog.value = { kind: 'compose' };
            }}
          >
            Write the first post
          </button>
        ) : (
          <a class="button" href={addressOf('accounts')}>
            Connect an account
          </a>
        )}
        <button
          type="button"
          class="button"
          onClick={() => {
            openDialog.value = { kind: 'connection' };
          }}
        >
          Post from a program
        </button>
      </div>
      <p>
        To start with the demo: <code>npx social-publishing emulator --seed demo --open</code>
      </p>
    </div>
  );
}
