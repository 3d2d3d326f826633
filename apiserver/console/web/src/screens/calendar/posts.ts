// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';

import { answer, api } from '../../api/client';
import { pageSize, type PostFilter } from '../../api/queries';
import type { Post } from '../../api/schema.gen';
import { postTime } from '../../lib/posts';
import { dayOf } from '../../lib/time';
import { boundsOf, inOrder, readImmediate, readScheduled, type Bounds, type PostPage, type Range } from './reading';

/** readPage returns a page of posts in the order of their times: ascending within bounds, otherwise descending. */
async function readPage(filter: PostFilter, bounds: Bounds | null, page: number): Promise<PostPage> {
  const order = bounds ? 'scheduled_asc' : 'scheduled_desc';
  const { data, meta } = await answer(
    api.GET('/api/v1/posts', { params: { query: { ...filter, ...bounds, order, page, per_page: pageSize } } }),
  );
  return { posts: data, pages: meta.pagination?.total_pages ?? 1, total: meta.pagination?.total_count ?? data.length };
}

const staleTime = 30_000;

// Parts that were read are kept for this long, in milliseconds, so that more parts take only their own requests.
const partsStaleTime = 300_000;

/** useParts reads the parts of a list one after another: the first ones, and one more for each call of more. */
function useParts<Part extends { readonly next: number | null }>(
  key: readonly unknown[],
  read: (start: number) => Promise<Part>,
  start: number,
  least: number,
) {
  const client = useQueryClient();
  const [asked, setAsked] = useState({ key: '', count: least });
  const of = JSON.stringify(key);
  const count = asked.key === of ? asked.count : least;
  const query = useQuery({
    queryKey: ['posts', ...key, 'parts', count],
    queryFn: async () => {
      const parts: Part[] = [];
      for (let next: number | null = start; next !== null && parts.length < count;) {
        const from: number = next;
        const part: Part = await client.fetchQuery({
          queryKey: ['posts', ...key, from],
          queryFn: () => read(from),
          staleTime: partsStaleTime,
        });
        parts.push(part);
        next = part.next;
      }
      return parts;
    },
    enabled: count > 0,
    placeholderData: keepPreviousData,
    staleTime,
  });
  return {
    parts: count > 0 ? (query.data ?? []) : [],
    pending: query.isPending,
    error: query.error,
    busy: query.isFetching,
    more: () => {
      setAsked({ key: of, count: query.error ? count : count + 1 });
      if (query.error) {
        void query.refetch();
      }
    },
  };
}

/** useCalendarPosts returns the posts by day of the brand's time zone, those of a day in order of time. */
export function useCalendarPosts(brand: number, filter: PostFilter, range: Range, zone: string) {
  const scheduled = useQuery({
    queryKey: ['all-posts', brand, filter, range, zone],
    queryFn: () => readScheduled((bounds, page) => readPage(filter, bounds, page), range, zone),
    placeholderData: keepPreviousData,
    staleTime,
  });
  const immediate = useParts(
    ['immediate', brand, filter, range, zone],
    (start) => readImmediate((page) => readPage(filter, null, page), range, zone, start),
    0,
    1,
  );
  const { parts } = immediate;
  const byDay = useMemo(() => {
    const all = [...(scheduled.data?.posts ?? []), ...parts.flatMap((part) => part.posts)];
    const days = new Map<string, Post[]>();
    for (const post of inOrder(all)) {
      const day = dayOf(postTime(post), zone);
      const posts = days.get(day);
      if (posts) {
        posts.push(post);
      } else {
        days.set(day, [post]);
      }
    }
    return days;
  }, [scheduled.data, parts, zone]);
  return { scheduled, immediate, byDay };
}

/** useRestOfDay reads the scheduled posts of a day that follow the first page, one page at a time, on request. */
export function useRestOfDay(brand: number, filter: PostFilter, day: string, zone: string) {
  const bounds = boundsOf({ first: day, last: day }, zone);
  const read = async (page: number) => {
    const { posts, pages } = await readPage(filter, bounds, page);
    return { posts, next: page < pages ? page + 1 : null };
  };
  return useParts(['day', brand, filter, day, zone], read, 2, 0);
}
