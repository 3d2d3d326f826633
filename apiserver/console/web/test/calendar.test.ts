// SPDX-License-Identifier: Apache-2.0

import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import type { Post } from '../src/api/schema.gen';
import { immediatePages, readImmediate, readScheduled, type Bounds } from '../src/screens/calendar/reading';

const zone = 'Europe/Berlin';
const size = 50;
const month = { first: '2026-06-29', last: '2026-08-02' };

/** service answers as GET /posts does, with pages of 50 posts, and counts the requests. */
function service(times: readonly string[], immediate: readonly string[] = []) {
  const made = [
    ...times.map((at) => ({ scheduled_at: at, created_at: '2026-01-01T00:00:00Z' })),
    ...immediate.map((at) => ({ scheduled_at: null, created_at: at })),
  ].map((post, id) => ({ id, ...post }) as Post);
  const at = (post: Post) => Date.parse(post.scheduled_at ?? post.created_at);
  const page = (posts: readonly Post[], n: number) => ({
    posts: posts.slice((n - 1) * size, n * size),
    pages: Math.max(1, Math.ceil(posts.length / size)),
    total: posts.length,
  });
  const self = {
    requests: 0,
    most: 0,
    inFlight: 0,
    scheduled: async ({ scheduled_after, scheduled_before }: Bounds, n: number) => {
      self.requests++;
      self.most = Math.max(self.most, ++self.inFlight);
      await Promise.resolve();
      self.inFlight--;
      const [from, until] = [Date.parse(scheduled_after), Date.parse(scheduled_before)];
      const found = made.filter((post) => post.scheduled_at !== null && at(post) >= from && at(post) <= until);
      return page(found.sort((a, b) => at(a) - at(b)), n);
    },
    all: (n: number) => {
      self.requests++;
      return Promise.resolve(page([...made].sort((a, b) => at(b) - at(a)), n));
    },
  };
  return self;
}

/** every returns a number of times, one in each interval of seconds. */
const every = (from: string, seconds: number, count: number) =>
  Array.from({ length: count }, (_, i) => new Date(Date.parse(from) + i * seconds * 1000).toISOString());

test('a month of 5,000 posts takes one request per day and has the number of each day', async () => {
  // 31 days from the first second of July in Berlin.
  const posts = service(every('2026-06-30T22:00:00Z', 535, 5000));
  const found = await readScheduled(posts.scheduled, month, zone);
  equal(posts.requests, 1 + 35);
  equal(posts.most, 4);
  const hidden = Object.values(found.hidden).reduce((sum, count) => sum + count, 0);
  equal(found.posts.length + hidden, 5000);
  equal(found.posts.length, 31 * size);
  equal(found.hidden['2026-07-15'], 112);
  equal(found.hidden['2026-06-30'], undefined);
});

test('a month with few posts is read whole', async () => {
  const posts = service(every('2026-07-01T00:00:00Z', 1500, 35 * size));
  const found = await readScheduled(posts.scheduled, month, zone);
  equal(posts.requests, 35);
  equal(found.posts.length, 35 * size);
  deepEqual(found.hidden, {});
  deepEqual(await readScheduled(service([]).scheduled, month, zone), { posts: [], hidden: {} });
});

test('a failed request fails the reading', async () => {
  const posts = service(every('2026-07-01T00:00:00Z', 1500, 200));
  const broken = (bounds: Bounds, page: number) =>
    page === 3 ? Promise.reject(new Error('rate_limited')) : posts.scheduled(bounds, page);
  equal(await readScheduled(broken, month, zone).catch((error: unknown) => String(error)), 'Error: rate_limited');
});

test('posts without a schedule are read in parts, each page once', async () => {
  const june = { first: '2020-06-01', last: '2020-06-30' };
  const wanted = every('2020-06-01T00:00:00Z', 1000, 2500);
  const others = [...every('2020-07-01T00:00:00Z', 60, 2000), ...every('2020-05-01T00:00:00Z', 60, 2000)];
  const posts = service(others, wanted);
  const first = await readImmediate(posts.all, june, 'UTC', 0);
  const searched = Math.ceil(Math.log2(6500 / size)) + 1;
  equal(posts.requests <= immediatePages + searched, true, `${String(posts.requests)} requests`);
  const before = posts.requests;
  const second = await readImmediate(posts.all, june, 'UTC', first.next ?? 1);
  const last = await readImmediate(posts.all, june, 'UTC', second.next ?? 1);
  const added = posts.requests - before;
  equal(added <= 2 * immediatePages, true, `${String(added)} requests`);
  equal(last.next, null);
  equal(new Set([first, second, last].flatMap((part) => part.posts.map((post) => post.id))).size, 2500);
});

test('the future has no posts without a schedule', async () => {
  const posts = service(every('2026-07-01T00:00:00Z', 60, 100));
  deepEqual(await readImmediate(posts.all, { first: '2999-01-01', last: '2999-01-31' }, zone, 0), {
    posts: [],
    next: null,
  });
  equal(posts.requests, 0);
});
