// Checked by `npm run types`, never run: TanStack Query accepts the options and infers the data from them.
import { InfiniteQueryObserver, QueryClient, QueryObserver, type InfiniteData } from '@tanstack/query-core';
import { expectTypeOf, it } from 'vitest';
import type {
  IntegrationDetail,
  ListPostsResponse,
  Post,
  PostComment,
  ListCommentsResponse,
  SocialPublishing,
} from 'social-publishing';
import { createQueries, type ListPage, type ListPosition } from 'social-publishing/query';

declare const client: SocialPublishing;
const cache = new QueryClient();
const queries = createQueries(client);

it('infers the data of a query', () => {
  expectTypeOf(cache.query(queries.integrations.get('int_1'))).resolves.toEqualTypeOf<IntegrationDetail>();
  expectTypeOf(cache.query(queries.posts.untilFinal('post_1'))).resolves.toEqualTypeOf<Post>();
  expectTypeOf(cache.query(queries.posts.list.page())).resolves.toEqualTypeOf<ListPage<Post, ListPostsResponse>>();
  const observer = new QueryObserver(cache, queries.posts.untilFinal('post_1'));
  expectTypeOf(observer.getCurrentResult().data).toEqualTypeOf<Post | undefined>();
  const selecting = new QueryObserver(cache, {
    ...queries.integrations.get('int_1'),
    select: ({ username }) => username,
  });
  expectTypeOf(selecting.getCurrentResult().data).toEqualTypeOf<string | undefined>();
});

it('infers the pages of an infinite query', () => {
  const options = queries.comments.list({ platform: 'instagram', accountId: 'int_1', postId: '1' });
  expectTypeOf(cache.infiniteQuery(options)).resolves.toEqualTypeOf<
    InfiniteData<ListPage<PostComment, ListCommentsResponse>, ListPosition>
  >();
  const observer = new InfiniteQueryObserver(cache, options);
  expectTypeOf(observer.getCurrentResult().data?.pages[0]?.items).toEqualTypeOf<PostComment[] | undefined>();
});

it('refuses arguments that the method refuses', () => {
  // @ts-expect-error no such status filter
  queries.posts.list({ state: 'draft' });
  // @ts-expect-error comments need an account
  queries.comments.list({ platform: 'instagram' });
});
