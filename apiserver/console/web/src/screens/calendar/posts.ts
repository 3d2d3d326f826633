// SPDX-License-Identifier: Apache-2.0

import { infiniteQueryOptions, useInfiniteQuery } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';

import { answer, api } from '../../api/client';
import { pageSize, type PostFilter } from '../../api/queries';
import type { Post } from '../../api/schema.gen';
import { postTime } from '../../lib/format';
import { dayOf } from '../../lib/time';

// GET /posts has no filter for the time of a post, so the calendar reads this many pages, the newest posts first.
const automaticPages = 10;

const postsQuery = (brand: number, filter: PostFilter) =>
  infiniteQueryOptions({
    queryKey: ['all-posts', brand, filter],
    queryFn: ({ pageParam }) =>
      answer(api.GET('/api/v1/posts', { params: { query: { ...filter, page: pageParam, per_page: pageSize } } })),
    initialPageParam: 1,
    getNextPageParam: (last) => {
      const at = last.meta.pagination;
      return at && at.page < at.total_pages ? at.page + 1 : undefined;
    },
    staleTime: 30_000,
  });

/** useCalendarPosts returns the posts by day of the brand's time zone, those of a day in order of time. */
export function useCalendarPosts(brand: number, filter: PostFilter, zone: string) {
  const query = useInfiniteQuery(postsQuery(brand, filter));
  const { hasNextPage, isFetching, fetchNextPage, data } = query;
  const loaded = data?.pages.length ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetching && loaded < automaticPages) {
      void fetchNextPage();
    }
  }, [hasNextPage, isFetching, fetchNextPage, loaded]);
  const byDay = useMemo(() => {
    const days = new Map<string, Post[]>();
    const seen = new Set<number>();
    for (const post of data?.pages.flatMap((page) => page.data) ?? []) {
      if (!seen.has(post.id)) {
        seen.add(post.id);
        const day = dayOf(postTime(post), zone);
        days.set(day, [...(days.get(day) ?? []), post]);
      }
    }
    for (const posts of days.values()) {
      posts.sort((a, b) => Date.parse(postTime(a)) - Date.parse(postTime(b)));
    }
    return days;
  }, [data, zone]);
  return { query, byDay, incomplete: hasNextPage && loaded >= automaticPages, count: loaded * pageSize };
}
