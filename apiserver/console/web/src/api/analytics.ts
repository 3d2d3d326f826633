// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answer, api } from './client';
import { pageSize } from './queries';
import type { operations } from './schema.gen';

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
