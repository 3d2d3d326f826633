// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answer, api } from './client';
import type { operations } from './schema.gen';

type Query<Name extends keyof operations> = NonNullable<operations[Name]['parameters']['query']>;

export type ShortFilter = Pick<Query<'list_shorts'>, 'short_type' | 'status' | 'query' | 'order'>;
export type PostFilter = Pick<Query<'list_posts'>, 'short_id' | 'status' | 'platform' | 'account'>;
export type MediaFilter = Pick<Query<'list_media'>, 'source' | 'query' | 'media_type'>;

/** pageSize is the number of entries of a page, the maximum that the API allows. */
export const pageSize = 50;

const minute = 60_000;

export const brandsQuery = (account: string) =>
  queryOptions({
    queryKey: ['brands', account],
    queryFn: async () => (await answer(api.GET('/api/v1/brands'))).data,
    staleTime: 5 * minute,
  });

export const brandQuery = (brand: number) =>
  queryOptions({
    queryKey: ['brand', brand],
    queryFn: async () => (await answer(api.GET('/api/v1/brand'))).data,
    staleTime: 5 * minute,
  });

export const accountQuery = (account: string) =>
  queryOptions({
    queryKey: ['account', account],
    queryFn: async () => (await answer(api.GET('/api/v1/account'))).data,
    staleTime: minute,
  });

export const capabilitiesQuery = queryOptions({
  queryKey: ['capabilities'],
  queryFn: async () => (await answer(api.GET('/api/v1/capabilities'))).data,
  staleTime: 10 * minute,
});

export const errorQuery = (code: string) =>
  queryOptions({
    queryKey: ['error', code],
    queryFn: async () => (await answer(api.GET('/api/v1/errors/{code}', { params: { path: { code } } }))).data,
    staleTime: Infinity,
    retry: false,
  });

export const shortsQuery = (brand: number, filter: ShortFilter, page: number) =>
  queryOptions({
    queryKey: ['shorts', brand, filter, page],
    queryFn: () => answer(api.GET('/api/v1/shorts', { params: { query: { ...filter, page, per_page: pageSize } } })),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.data.some((s) => s.status === 'processing') ? 5000 : false),
  });

export const shortKey = (id: number) => ['short', id] as const;

export const shortQuery = (id: number) =>
  queryOptions({
    queryKey: shortKey(id),
    queryFn: async () => (await answer(api.GET('/api/v1/shorts/{id}', { params: { path: { id } } }))).data,
  });

export const connectionsQuery = (brand: number) =>
  queryOptions({
    queryKey: ['connections', brand],
    queryFn: async () => (await answer(api.GET('/api/v1/connections'))).data,
    staleTime: minute / 2,
  });

export const postsQuery = (brand: number, filter: PostFilter, page: number) =>
  queryOptions({
    queryKey: ['posts', brand, filter, page],
    queryFn: () => answer(api.GET('/api/v1/posts', { params: { query: { ...filter, page, per_page: pageSize } } })),
    placeholderData: keepPreviousData,
  });

export const mediaQuery = (brand: number, filter: MediaFilter, page: number) =>
  queryOptions({
    queryKey: ['media', brand, filter, page],
    queryFn: () => answer(api.GET('/api/v1/media', { params: { query: { ...filter, page, per_page: pageSize } } })),
    placeholderData: keepPreviousData,
    refetchInterval: (query) => (query.state.data?.data.some((m) => m.status === 'processing') ? 3000 : false),
  });
