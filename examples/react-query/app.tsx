/**
 * A page with TanStack Query: a list that loads more as you scroll, and a form that creates a draft. It needs three packages:
 * `npm install @tanstack/react-query react react-dom`.
 */
import { QueryClient, QueryClientProvider, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import { useCallback, useState, type ReactNode, type SyntheticEvent } from 'react';
import { createRoot } from 'react-dom/client';
import { SocialPublishing } from 'social-publishing';
import { createQueries } from 'social-publishing/query';

// The page has no access key: server.ts adds it.
const client = new SocialPublishing({ baseUrl: new URL('/proxy', location.href).href, accessKey: null });
const queries = createQueries(client);

function Posts(): ReactNode {
  const { data, error, isPending, hasNextPage, isFetchingNextPage, fetchNextPage, refetch } = useInfiniteQuery(
    queries.posts.list({ limit: 20 }),
  );
  const posts = data?.pages.flatMap((page) => page.items) ?? [];
  // Loads the next page shortly before the end of the list becomes visible.
  const watchEnd = useCallback(
    (end: HTMLElement | null) => {
      if (end === null) return undefined;
      const load: IntersectionObserverCallback = ([entry]) => {
        if (entry?.isIntersecting === true) void fetchNextPage();
      };
      const observer = new IntersectionObserver(load, { rootMargin: '300px' });
      observer.observe(end);
      return () => {
        observer.disconnect();
      };
    },
    [fetchNextPage],
  );
  if (isPending) return <p>Loading …</p>;
  return (
    <>
      {error !== null && <Problem error={error} retry={() => void refetch()} />}
      <ul>
        {posts.map((post) => (
          <li key={post.postId} style={{ minHeight: 60 }}>
            {post.status}: {post.content}
          </li>
        ))}
      </ul>
      {/* After an error, a new attempt needs a click. */}
      {hasNextPage && !isFetchingNextPage && error === null && <p ref={watchEnd}>more …</p>}
    </>
  );
}

function NewDraft(): ReactNode {
  const [content, setContent] = useState('');
  const queryClient = useQueryClient();
  const create = useMutation({
    mutationFn: (text: string) => client.posts.create({ content: text, saveAsDraft: true }),
    // A create is not safe to repeat. This is also the default of useMutation.
    retry: false,
    onSuccess: () => {
      setContent('');
      return queryClient.invalidateQueries({ queryKey: ['social-publishing', 'posts', 'list'] });
    },
  });
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    create.mutate(content);
  };
  return (
    <form onSubmit={submit}>
      <input
        aria-label="Text"
        value={content}
        onChange={(event) => {
          setContent(event.target.value);
        }}
      />
      <button disabled={create.isPending}>Save draft</button>
      {create.error !== null && <Problem error={create.error} />}
    </form>
  );
}

/** An error of the client, as text. Its message contains no key. */
function Problem({ error, retry }: { error: Error; retry?: () => void }): ReactNode {
  return (
    <p role="alert">
      {error.message} {retry !== undefined && <button onClick={retry}>Try again</button>}
    </p>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('The page has no element with the ID root.');
createRoot(root).render(
  <QueryClientProvider client={new QueryClient()}>
    <NewDraft />
    <Posts />
  </QueryClientProvider>,
);
