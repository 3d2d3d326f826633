// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answer, api } from './client';
import { pageSize } from './queries';

export const jobQuery = (id: number) =>
  queryOptions({
    queryKey: ['job', id],
    queryFn: async () => (await answer(api.GET('/api/v1/jobs/{id}', { params: { path: { id } } }))).data,
    refetchInterval: (query) =>
      query.state.data?.status === 'queued' || query.state.data?.status === 'processing' ? 5000 : false,
  });

export const recentPostsQuery = (brand: number, page: number) =>
  queryOptions({
    queryKey: ['posts', brand, 'recent', page],
    queryFn: () =>
      answer(
        api.GET('/api/v1/posts', { params: { query: { order: 'scheduled_desc', page, per_page: pageSize } } }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });
