// SPDX-License-Identifier: Apache-2.0

import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { bestHours } from '../src/screens/analytics/hours';

/** posts returns posts at an hour of UTC, one for each number of views. */
function posts(hour: number, ...views: (number | null)[]) {
  return views.map((view_count, i) => ({
    posted_at: `2026-07-${String(i + 1).padStart(2, '0')}T${String(hour).padStart(2, '0')}:30:00Z`,
    view_count,
  }));
}

test('the hours with the most views per post are first', () => {
  const best = bestHours([...posts(6, 10, 20, 30, 40), ...posts(16, 100, 300), ...posts(22, 1, 1, 1, 1)], 'UTC');
  deepEqual(best, {
    posts: 10,
    hours: [
      { hour: 16, posts: 2, views: 200 },
      { hour: 6, posts: 4, views: 25 },
      { hour: 22, posts: 4, views: 1 },
    ],
  });
});

test('hours are those of the time zone', () => {
  // Berlin is two hours ahead of UTC in July, so that 22:30 is 00:30 of the next day.
  const hours = bestHours([...posts(22, 5, 5, 5, 5, 5), ...posts(8, 1, 1, 1, 1, 1)], 'Europe/Berlin')?.hours;
  deepEqual(hours?.map(({ hour }) => hour), [0, 10]);
});

test('an hour with one post and posts without views do not count', () => {
  const nine = posts(6, 1, 1, 1, 1, 1, 1, 1, 1, 1);
  equal(bestHours(nine, 'UTC'), null);
  equal(bestHours([...nine, ...posts(7, null, null)], 'UTC'), null);
  deepEqual(bestHours([...nine, ...posts(7, 9000)], 'UTC'), { posts: 10, hours: [{ hour: 6, posts: 9, views: 1 }] });
});

test('no hour is best if each has one post', () => {
  equal(bestHours(Array.from({ length: 12 }, (_, hour) => posts(hour, 3)).flat(), 'UTC'), null);
});
