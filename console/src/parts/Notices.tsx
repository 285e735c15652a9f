import { createContext } from 'preact';
import { useContext, useEffect, useRef } from 'preact/hooks';
import { actionOf, announcement, dismiss, notices, nowOf, type Notice } from '../state/notices.js';
import { Icon } from './Icon.js';
import { focusStart } from './lost-focus.js';

/** The last notice that is not shown: a dialog shows only notices that are newer than itself. */
export const LastHiddenNotice = createContext(0);

/** Shows recent actions, on the screen and for screen readers. */
export function Notices() {
  const lastHidden = useContext(LastHiddenNotice);
  const shown = notices.value.filter(({ id }) => id > lastHidden);
  /** The element that had the focus before a notice had it. */
  const before = useRef<HTMLElement | undefined>(undefined);
  const place = usePlace(shown.at(-1)?.id);
  /** The announcement before this place was shown: screen readers have read it. */
  const old = useRef(announcement.peek());
  return (
    <>
      <div
        ref={place}
        class="notices"
        role="status"
        aria-live="polite"
        onFocusIn={({ relatedTarget, currentTarget }) => {
          if (relatedTarget instanceof HTMLElement && !currentTarget.contains(relatedTarget))
            before.current = relatedTarget;
        }}
      >
        {shown.map((notice) => (
          <NoticeBox
            key={notice.id}
            notice={notice}
            remove={(button) => {
              focusAfter(button, before.current);
              dismiss(notice.id);
            }}
          />
        ))}
      </div>
      <p class="unseen" aria-live="polite">
        {announcement.value === old.current ? '' : announcement.value.text}
      </p>
    </>
  );
}

/** Returns the reference of the place of the notices. The focused element stays in sight when a notice takes its room. */
function usePlace(latest: number | undefined) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const notices = place.current?.getBoundingClientRect();
    const focused = document.activeElement;
    if (latest === undefined || notices === undefined || focused?.closest('main, .nav') === null) return;
    const { top, bottom } = focused?.getBoundingClientRect() ?? notices;
    if (bottom > notices.top && top < notices.bottom) focused?.scrollIntoView({ block: 'nearest' });
  }, [latest]);
  return place;
}

/** Moves the focus to another notice or, after the last one, to the element that had it before. */
function focusAfter(button: HTMLElement, before: HTMLElement | undefined): void {
  const notice = button.closest('.notice');
  const next = notice?.nextElementSibling ?? notice?.previousElementSibling;
  const target = next?.querySelector<HTMLElement>('.notice-dismiss') ?? before;
  target?.focus();
  // The element may be gone.
  if (target === undefined || document.activeElement !== target) focusStart();
}

interface BoxProps {
  readonly notice: Notice;
  readonly remove: (button: HTMLElement) => void;
}

function NoticeBox({ notice, remove }: BoxProps) {
  const tone = nowOf(notice.tone);
  const action = actionOf(notice);
  return (
    <div class={`notice notice-${tone}`}>
      <Icon name={tone === 'good' ? 'check' : 'warning'} />
      <p>{nowOf(notice.text)}</p>
      {action !== undefined && (
        <button
          type="button"
          class="button button-small"
          onClick={({ currentTarget }) => {
            remove(currentTarget);
            action.run();
          }}
        >
          {action.label}
        </button>
      )}
      <button
        type="button"
        class="button button-quiet button-icon notice-dismiss"
        aria-label="Dismiss"
        onClick={({ currentTarget }) => {
          remove(currentTarget);
        }}
      >
        <Icon name="cross" />
      </button>
    </div>
  );
}
