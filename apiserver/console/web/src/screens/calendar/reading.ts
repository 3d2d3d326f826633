// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { postTime } from '../../lib/posts';
import { addDays, fromInput, utc } from '../../lib/time';

/** Range is the first and the last day that the calendar shows. */
export interface Range {
  readonly first: string;
  readonly last: string;
}

/** boundsOf returns the first and the last second of a range, as the API takes them. */
export function boundsOf(range: Range, zone: string) {
  const from = fromInput(`${range.first}T00:00`, zone) ?? new Date(0);
  const end = fromInput(`${addDays(range.last, 1)}T00:00`, zone) ?? new Date(0);
  return { scheduled_after: utc(from), scheduled_before: utc(new Date(end.getTime() - 1000)) };
}

export type Bounds = ReturnType<typeof boundsOf>;

/** PostPage is a page of posts, with the numbers of all pages and of the posts on them. */
export interface PostPage {
  readonly posts: readonly Post[];
  readonly pages: number;
  readonly total: number;
}

/** Scheduled is the scheduled posts of a range. */
export interface Scheduled {
  readonly posts: readonly Post[];
  /** The numbers of posts that were not read, by day. Days without such posts are missing. */
  readonly hidden: Readonly<Record<string, number>>;
}

// The number of requests in flight.
const lanes = 4;

/**
 * readScheduled returns all scheduled posts of a range if that takes at most one request per day. Otherwise it returns
 * the first page of each day. All pages of a full month would use up much of the user's rate limit, and again after
 * each change of a post.
 */
export async function readScheduled(
  read: (bounds: Bounds, page: number) => Promise<PostPage>,
  range: Range,
  zone: string,
): Promise<Scheduled> {
  const bounds = boundsOf(range, zone);
  const first = await read(bounds, 1);
  const days: string[] = [];
  for (let day = range.first; day <= range.last; day = addDays(day, 1)) {
    days.push(day);
  }
  if (first.pages <= days.length) {
    const others = Array.from({ length: Math.max(0, first.pages - 1) }, (_, i) => i + 2);
    const pages = await inLanes(others, (page) => read(bounds, page));
    return { posts: [first, ...pages].flatMap((page) => page.posts), hidden: {} };
  }
  const found = await inLanes(days, (day) => read(boundsOf({ first: day, last: day }, zone), 1));
  const hidden = days.map((day, i) => [day, (found[i]?.total ?? 0) - (found[i]?.posts.length ?? 0)] as const);
  return {
    posts: found.flatMap((page) => page.posts),
    hidden: Object.fromEntries(hidden.filter(([, count]) => count > 0)),
  };
}

/** inOrder returns each post once, in order of time. Of posts with the same id it returns the last one. */
export function inOrder(posts: readonly Post[]): Post[] {
  const unique = [...new Map(posts.map((post) => [post.id, post])).values()];
  return unique.sort((a, b) => Date.parse(postTime(a)) - Date.parse(postTime(b)));
}

/** inLanes calls a function for each item, a few at the same time. The results are in the order of the items. */
async function inLanes<Item, Result>(items: readonly Item[], call: (item: Item) => Promise<Result>): Promise<Result[]> {
  const results: Result[] = [];
  const rest = items.entries();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const [i, item] of rest) {
        results[i] = await call(item);
      }
    }),
  );
  return results;
}

/** Immediate is a part of the posts for immediate publication of a range. */
export interface Immediate {
  readonly posts: readonly Post[];
  /** The page with which the rest begins, or null. */
  readonly next: number | null;
}

/** immediatePages is the number of pages that the calendar reads before it asks whether to read more. */
export const immediatePages = 20;

/**
 * readImmediate returns the posts for immediate publication of a range, from a page on. No filter selects them, but the
 * list of all posts in descending order of time has them at the time at which they were accepted. Page 0 means the
 * first page of the range, which a binary search finds.
 */
export async function readImmediate(
  read: (page: number) => Promise<PostPage>,
  range: Range,
  zone: string,
  start: number,
): Promise<Immediate> {
  const bounds = boundsOf(range, zone);
  const from = Date.parse(bounds.scheduled_after);
  const until = Date.parse(bounds.scheduled_before);
  if (from > Date.now()) {
    return { posts: [], next: null };
  }
  const known = new Map<number, Promise<PostPage>>();
  const once = (page: number) => {
    const got = known.get(page) ?? read(page);
    known.set(page, got);
    return got;
  };
  let page = Math.max(1, start);
  let total = (await once(page)).pages;
  if (start === 0) {
    for (let high = total; page < high;) {
      const middle = Math.floor((page + high) / 2);
      if (earliest((await once(middle)).posts) > until) {
        page = middle + 1;
      } else {
        high = middle;
      }
    }
  }
  const posts: Post[] = [];
  for (const end = page + immediatePages; page <= total && page < end; page++) {
    const got = await once(page);
    total = got.pages;
    posts.push(...got.posts.filter((post) => post.scheduled_at === null));
    if (earliest(got.posts) < from) {
      return { posts, next: null };
    }
  }
  return { posts, next: page <= total ? page : null };
}

/** earliest returns the time of the last post of a page in descending order. */
function earliest(posts: readonly Post[]): number {
  const last = posts.at(-1);
  return last ? Date.parse(last.scheduled_at ?? last.created_at) : -Infinity;
}
