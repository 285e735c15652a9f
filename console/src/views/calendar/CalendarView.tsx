import { useLayoutEffect } from 'preact/hooks';
import { Empty } from '../../parts/Empty.js';
import { FilterCount } from '../../parts/FilterCount.js';
import { Icon } from '../../parts/Icon.js';
import { PostFilters } from '../../parts/PostFilters.js';
import { Problem } from '../../parts/Problem.js';
import { Segments } from '../../parts/Segments.js';
import { View } from '../../parts/View.js';
import { accounts } from '../../state/accounts.js';
import { loadingText, loadPosts, posts, postsError, postsRead } from '../../state/posts.js';
import { partOf, quantity } from '../../state/quantity.js';
import { FirstSteps } from '../posts/FirstSteps.js';
import { AgendaLayout } from './AgendaLayout.js';
import {
  choose,
  chosen,
  chosenDay,
  forgetWrongDay,
  isFiltered,
  layout,
  layouts,
  periodOf,
  platform,
  shownPosts,
  status,
  type Period,
} from './calendar.js';
import { DayPanel } from './DayPanel.js';
import { MonthLayout } from './MonthLayout.js';
import { movedByKey, useFocusOnPost } from './moving.js';
import { WeekLayout } from './WeekLayout.js';

export function CalendarView() {
  const day = chosenDay();
  const name = layout.value;
  const period = periodOf(name, day);
  const frame = useFocusOnPost();
  useLayoutEffect(forgetWrongDay);
  return (
    <View title={period.title} about={<About />}>
      <Problem text={postsError.value} retry={() => void loadPosts()} />
      <div class="calendar-tools">
        <div class="button-row">
          <PeriodButtons period={period} />
        </div>
        <Segments label="Layout" segments={layouts} chosen={layout} />
        <div class="calendar-filters" role="search" aria-label="Filter posts">
          <PostFilters status={status} platform={platform} />
        </div>
      </div>
      {isFiltered.value && (
        <FilterCount
          text={partOf(shownPosts.value.length, posts.value.length, quantity(posts.value.length, 'post', 'posts'))}
          filters={[status, platform]}
        />
      )}
      {posts.value.length === 0 && postsRead.value && accounts.value.value !== undefined && !isFiltered.value && (
        <Empty icon="posts" title="No posts yet">
          <FirstSteps />
        </Empty>
      )}
      <div ref={frame} class={`calendar-${name}`} onKeyDown={movedByKey}>
        {name === 'month' && (
          <>
            <MonthLayout day={day} />
            <DayPanel day={day} />
          </>
        )}
        {name === 'week' && <WeekLayout day={day} />}
        {name === 'agenda' && <AgendaLayout day={day} />}
      </div>
    </View>
  );
}

function About() {
  const loading = loadingText();
  if (loading !== undefined) return <>{loading}</>;
  return (
    <>
      Shows when each post is published, and the status of each target.{' '}
      <span class="move-hint">To move a scheduled post, drag it, or press Shift and an arrow key on it.</span>
    </>
  );
}

function PeriodButtons({ period: { step, move } }: { readonly period: Period }) {
  return (
    <>
      <button
        type="button"
        class="button button-icon"
        aria-label={`Previous ${step}`}
        onClick={() => {
          choose(move(-1));
        }}
      >
        <Icon name="left" />
      </button>
      <button
        type="button"
        class="button"
        onClick={() => {
          chosen.value = '';
        }}
      >
        Today
      </button>
      <button
        type="button"
        class="button button-icon"
        aria-label={`Next ${step}`}
        onClick={() => {
          choose(move(1));
        }}
      >
        <Icon name="right" />
      </button>
    </>
  );
}
