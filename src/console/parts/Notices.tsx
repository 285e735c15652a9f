import { announcement, dismiss, notices } from '../state/notices.js';
import { Icon } from './Icon.js';

/** Shows recent actions, on the screen and for screen readers. */
export function Notices() {
  return (
    <>
      <div class="notices" role="status" aria-live="polite">
        {notices.value.map(({ id, text, tone, action }) => (
          <div key={id} class={`notice notice-${tone}`}>
            <Icon name={tone === 'good' ? 'check' : 'warning'} />
            <p>{text}</p>
            {action !== undefined && (
              <button
                type="button"
                class="button button-small"
                onClick={() => {
                  dismiss(id);
                  action.run();
                }}
              >
                {action.label}
              </button>
            )}
            <button
              type="button"
              class="button button-quiet button-icon"
              aria-label="Dismiss"
              onClick={() => {
                dismiss(id);
              }}
            >
              <Icon name="cross" />
            </button>
          </div>
        ))}
      </div>
      <p class="unseen" aria-live="polite">
        {announcement.value}
      </p>
    </>
  );
}
