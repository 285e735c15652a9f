import { useState } from 'preact/hooks';
import { Loading } from '../../parts/Loading.js';
import { Empty } from '../../parts/Empty.js';
import { RowList } from '../../parts/RowList.js';
import { today } from '../../state/clock.js';
import { postsRead } from '../../state/posts.js';
import { addDays, formatDay } from '../../state/time.js';
import { PostRow } from '../posts/PostRow.js';
import { agendaDays, isFiltered, shownByDay } from './calendar.js';
import { dropOn, movable } from './moving.js';

/** The number of posts shown first, and added by each press of the button. */
const shownPosts = 200;

/** The days with posts below each other, from the chosen day on. */
export function AgendaLayout({ day }: { readonly day: string }) {
  const [most, setMost] = useState(shownPosts);
  const all = Array.from({ length: agendaDays }, (_, index) => addDays(day, index)).flatMap((date) => {
    const posts = shownByDay.value.get(date) ?? [];
    return posts.length === 0 ? [] : [{ date, posts }];
  });
  const count = all.reduce((sum, { posts }) => sum + posts.length, 0);
  let left = most;
  const shown = all.flatMap(({ date, posts }) => {
    const some = posts.slice(0, left);
    left -= some.length;
    return some.length === 0 ? [] : [{ date, posts: some }];
  });
  if (count === 0) return <NoPosts />;
  return (
    <>
      {shown.map(({ date, posts }) => (
        <section key={date} class="panel agenda-day" aria-label={formatDay(date)} {...dropOn(date)}>
          <h2 aria-current={date === today.value ? 'date' : undefined}>
            {formatDay(date)}
            {date === today.value && <span class="hint"> · today</span>}
          </h2>
          <RowList
            label="Posts of the day, the earliest first"
            items={posts}
            keyOf={({ postId }) => postId}
            row={(post, focus) => <PostRow post={post} focus={focus} isInDay more={movable(post)} />}
          />
        </section>
      ))}
      {count > most && (
        <button
          type="button"
          class="button"
          onClick={() => {
            setMost(most + shownPosts);
          }}
        >
          Show more of {count} posts
        </button>
      )}
    </>
  );
}

function NoPosts() {
  if (!postsRead.value) return <Loading />;
  return (
    <Empty
      icon="calendar"
      title={isFiltered.value ? 'No matching posts in these four weeks' : 'No posts in these four weeks'}
    >
      <p>
        {isFiltered.value ? 'Change the filters, or choose another period.' : 'Choose another period, or write a post.'}
      </p>
    </Empty>
  );
}
