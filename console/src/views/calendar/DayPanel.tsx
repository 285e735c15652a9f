import { Loading } from '../../parts/Loading.js';
import { Empty } from '../../parts/Empty.js';
import { Icon } from '../../parts/Icon.js';
import { RowList } from '../../parts/RowList.js';
import { openDialog } from '../../state/dialogs.js';
import { postsRead } from '../../state/posts.js';
import { formatDay, formatNamedDay } from '../../state/time.js';
import { PostRow } from '../posts/PostRow.js';
import { focusDay, isFiltered, shownByDay } from './calendar.js';
import { countOf } from './CalendarDay.js';
import { movable } from './moving.js';

/** The number of posts shown first, and added by each press of the button. */
const shownPosts = 50;

/** Shows the posts of the chosen day, next to the calendar or below it. */
export function DayPanel({ day }: { readonly day: string }) {
  const posts = shownByDay.value.get(day) ?? [];
  const compose = () => {
    openDialog.value = { kind: 'compose', day };
  };
  return (
    <section
      class="panel day-panel"
      aria-label={`Posts of ${formatDay(day)}`}
      onKeyDown={({ key }) => {
        if (key === 'Escape') focusDay(day);
      }}
    >
      <h2 aria-label={formatDay(day)}>{formatNamedDay(day)}</h2>
      {posts.length > 1 && <p class="hint">{postsRead.value ? countOf(posts) : 'Loading'}</p>}
      {posts.length === 0 && !postsRead.value ? (
        <Loading />
      ) : posts.length === 0 ? (
        <Empty icon="calendar" title={isFiltered.value ? 'No matching posts on this day' : 'No posts on this day'}>
          <p>
            {isFiltered.value
              ? 'Change the filters, or choose another day.'
              : 'Choose another day, or write a post for this one.'}
          </p>
        </Empty>
      ) : (
        <RowList
          label="Posts of the day, the earliest first"
          items={posts}
          step={shownPosts}
          keyOf={({ postId }) => postId}
          row={(post, focus) => <PostRow post={post} focus={focus} isInDay more={movable(post)} />}
        />
      )}
      <button type="button" class="button" onClick={compose}>
        <Icon name="plus" />
        New post on this day
      </button>
    </section>
  );
}
