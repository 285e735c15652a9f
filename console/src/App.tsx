import type { ComponentType } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { listenToKeys } from './commands/shortcuts.js';
import { Dialogs } from './dialogs/Dialogs.js';
import { Header } from './parts/Header.js';
import { keepFocus } from './parts/lost-focus.js';
import { Nav } from './parts/Nav.js';
import { Notices } from './parts/Notices.js';
import { Problem, StoppedProblem } from './parts/Problem.js';
import { start, startProblem } from './start.js';
import { openDialog } from './state/dialogs.js';
import { unknownView, view, type ViewName } from './state/route.js';
import { dismissConfirmations } from './state/notices.js';
import { isNarrow } from './state/screen.js';
import { titles } from './state/titles.js';
import { AccountsView } from './views/accounts/AccountsView.js';
import { AnalyticsView } from './views/analytics/AnalyticsView.js';
import { AutomationsView } from './views/automations/AutomationsView.js';
import { CalendarView } from './views/calendar/CalendarView.js';
import { CommentsView } from './views/comments/CommentsView.js';
import { DurableView } from './views/durable/DurableView.js';
import { FaultsView } from './views/faults/FaultsView.js';
import { MessagesView } from './views/messages/MessagesView.js';
import { PostsView } from './views/posts/PostsView.js';
import { RequestsView } from './views/requests/RequestsView.js';
import { WebhooksView } from './views/webhooks/WebhooksView.js';
import { session } from './world/session.js';

const views: Readonly<Record<ViewName, ComponentType>> = {
  calendar: CalendarView,
  posts: PostsView,
  accounts: AccountsView,
  comments: CommentsView,
  messages: MessagesView,
  automations: AutomationsView,
  analytics: AnalyticsView,
  webhooks: WebhooksView,
  requests: RequestsView,
  faults: FaultsView,
  durable: DurableView,
};

export function App() {
  const name = view.value;
  const Shown = views[name];
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  useEffect(listenToKeys, []);
  useEffect(keepFocus, []);
  useLayoutEffect(() => {
    document.title = `${titles[name]} · Emulator console`;
    // After following a navigation link, move the focus to the heading; at the start, leave the focus unchanged.
    if (!isFirst.current) {
      main.current?.querySelector<HTMLElement>('h1')?.focus();
      dismissConfirmations();
    }
    isFirst.current = false;
  }, [name]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          // The address after the hash names the view.
          event.preventDefault();
          main.current?.focus();
        }}
      >
        Skip to the content
      </a>
      <Header />
      <StoppedProblem />
      {!isNarrow.value && <Nav />}
      <main id="main" ref={main} tabIndex={-1}>
        <Problem text={startProblem.value} retry={() => void start()} />
        {unknownView.value !== undefined && (
          <p class="problem" role="alert">
            There is no page “{unknownView.value}”. This is the calendar.
          </p>
        )}
        {session.value !== undefined ? <Shown /> : startProblem.value === undefined && <p class="hint">Loading</p>}
      </main>
      {openDialog.value === undefined && <Notices />}
      <Dialogs />
    </>
  );
}
