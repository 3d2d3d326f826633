// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answer, api } from './client';
import { pageSize } from './queries';
import type { operations, PostMetrics } from './schema.gen';

type Query = NonNullable<operations['get_account_analytics']['parameters']['query']>;

export type AnalyticsFilter = Pick<Query, 'period' | 'filter' | 'sort' | 'dir'>;

export const analyticsQuery = (brand: number) =>
  queryOptions({
    queryKey: ['analytics', brand],
    queryFn: async () => (await answer(api.GET('/api/v1/analytics'))).data,
    refetchInterval: (query) => (query.state.data?.accounts.some((a) => a.refreshing) ? 5000 : false),
  });

export const accountAnalyticsQuery = (brand: number, account: number, filter: AnalyticsFilter, page: number) =>
  queryOptions({
    queryKey: ['account-analytics', brand, account, filter, page],
    queryFn: () => readAnalytics(account, filter, page),
    placeholderData: keepPreviousData,
  });

export function readAnalytics(account: number, filter: AnalyticsFilter, page: number) {
  return answer(
    api.GET('/api/v1/analytics/accounts/{social_data_id}', {
      params: { path: { social_data_id: account }, query: { ...filter, page, per_page: pageSize } },
    }),
  );
}

/** readPosts returns the posts of the period, at most the given number of pages of them. */
export async function readPosts(account: number, filter: AnalyticsFilter, maxPages: number): Promise<PostMetrics[]> {
  const posts: PostMetrics[] = [];
  for (let page = 1; page <= maxPages; page++) {
    const got = await readAnalytics(account, filter, page);
    posts.push(...got.data.posts);
    if (page >= (got.meta.pagination?.total_pages ?? 1)) {
      break;
    }
  }
  return posts;
}

// The hours of publication are computed from at most this many pages of posts, the newest ones.
const hourPages = 10;

export const postsOfPeriodQuery = (brand: number, account: number, filter: Pick<Query, 'period' | 'filter'>) =>
  queryOptions({
    queryKey: ['account-analytics', brand, account, 'posts', filter],
    queryFn: () => readPosts(account, { ...filter, sort: 'posted_at', dir: 'desc' }, hourPages),
  });
