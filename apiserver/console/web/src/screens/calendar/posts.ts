// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';

import { answer, api } from '../../api/client';
import { pageSize, type PostFilter } from '../../api/queries';
import type { Post } from '../../api/schema.gen';
import { postTime } from '../../lib/posts';
import { addDays, dayOf, fromInput, utc } from '../../lib/time';

/** pagesAtOnce is the number of pages that the calendar reads before it asks whether to read more. */
export const pagesAtOnce = 20;

// The number of requests in flight.
const lanes = 4;

/** Range is the first and the last day that the calendar shows. */
export interface Range {
  readonly first: string;
  readonly last: string;
}

interface Found {
  readonly posts: readonly Post[];
  readonly complete: boolean;
}

/** boundsOf returns the first and the last second of a range, as the API takes them. */
export function boundsOf(range: Range, zone: string) {
  const from = fromInput(`${range.first}T00:00`, zone) ?? new Date(0);
  const end = fromInput(`${addDays(range.last, 1)}T00:00`, zone) ?? new Date(0);
  return { scheduled_after: utc(from), scheduled_before: utc(new Date(end.getTime() - 1000)) };
}

type Bounds = ReturnType<typeof boundsOf>;

/** readScheduled returns the scheduled posts of a range, from at most the given number of pages. */
async function readScheduled(filter: PostFilter, bounds: Bounds, pages: number): Promise<Found> {
  const read = (page: number) =>
    answer(
      api.GET('/api/v1/posts', {
        params: { query: { ...filter, ...bounds, order: 'scheduled_asc', page, per_page: pageSize } },
      }),
    );
  const first = await read(1);
  const total = first.meta.pagination?.total_pages ?? 1;
  const posts = [...first.data];
  const last = Math.min(total, pages);
  for (let page = 2; page <= last; page += lanes) {
    const some = Array.from({ length: Math.min(lanes, last - page + 1) }, (_, i) => read(page + i));
    posts.push(...(await Promise.all(some)).flatMap((answered) => answered.data));
  }
  return { posts, complete: total <= pages };
}

/**
 * readImmediate returns the posts for immediate publication of a range. No filter selects them, but the list in the
 * order of time has them at the time at which they were accepted. A binary search finds the first page of the range.
 */
async function readImmediate(filter: PostFilter, bounds: Bounds, pages: number): Promise<Found> {
  const from = Date.parse(bounds.scheduled_after);
  const until = Date.parse(bounds.scheduled_before);
  if (from > Date.now()) {
    return { posts: [], complete: true };
  }
  const known = new Map<number, Promise<readonly Post[]>>();
  let total = 1;
  const read = (page: number) => {
    const got =
      known.get(page) ??
      answer(
        api.GET('/api/v1/posts', {
          params: { query: { ...filter, order: 'scheduled_desc', page, per_page: pageSize } },
        }),
      ).then((answered) => {
        total = answered.meta.pagination?.total_pages ?? 1;
        return answered.data;
      });
    known.set(page, got);
    return got;
  };
  await read(1);
  let page = 1;
  let high = total;
  while (page < high) {
    const middle = Math.floor((page + high) / 2);
    if (earliest(await read(middle)) > until) {
      page = middle + 1;
    } else {
      high = middle;
    }
  }
  const posts: Post[] = [];
  for (let i = 0; i < pages && page <= total; i++, page++) {
    const some = await read(page);
    posts.push(...some.filter((post) => post.scheduled_at === null));
    if (earliest(some) < from) {
      return { posts, complete: true };
    }
  }
  return { posts, complete: page > total };
}

/** earliest returns the time of the last post of a page in descending order. */
function earliest(posts: readonly Post[]): number {
  const last = posts.at(-1);
  return last ? Date.parse(last.scheduled_at ?? last.created_at) : -Infinity;
}

/** useCalendarPosts returns the posts by day of the brand's time zone, those of a day in order of time. */
export function useCalendarPosts(brand: number, filter: PostFilter, range: Range, zone: string, pages: number) {
  const query = useQuery({
    queryKey: ['all-posts', brand, filter, range, zone, pages],
    queryFn: async (): Promise<Found> => {
      const bounds = boundsOf(range, zone);
      const found = await Promise.all([
        readScheduled(filter, bounds, pages),
        readImmediate(filter, bounds, pages),
      ]);
      return { posts: found.flatMap((part) => part.posts), complete: found.every((part) => part.complete) };
    },
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  });
  const { data } = query;
  const byDay = useMemo(() => {
    const days = new Map<string, Post[]>();
    for (const post of new Map(data?.posts.map((p) => [p.id, p])).values()) {
      const day = dayOf(postTime(post), zone);
      const posts = days.get(day);
      if (posts) {
        posts.push(post);
      } else {
        days.set(day, [post]);
      }
    }
    for (const posts of days.values()) {
      posts.sort((a, b) => Date.parse(postTime(a)) - Date.parse(postTime(b)));
    }
    return days;
  }, [data, zone]);
  return { query, byDay };
}
