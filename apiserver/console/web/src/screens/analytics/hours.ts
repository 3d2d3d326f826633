// SPDX-License-Identifier: Apache-2.0

import type { PostMetrics } from '../../api/schema.gen';
import { inputValue } from '../../lib/time';

// Fewer posts with views than this say nothing about hours. The same holds for an hour with a single post.
export const minPosts = 10;
const minPerHour = 2;

const shownHours = 5;

export interface Hour {
  /** hour is the hour of the day, from 0 to 23. */
  readonly hour: number;
  readonly posts: number;
  /** views is the average number of views of the posts. */
  readonly views: number;
}

export interface BestHours {
  /** posts is the number of posts with views that the hours were computed from. */
  readonly posts: number;
  readonly hours: readonly Hour[];
}

/**
 * bestHours returns the hours of publication with the most views per post, best first, in the time zone. It returns
 * null if there are too few posts. Posts whose views are not reported are left out.
 */
export function bestHours(
  posts: readonly Pick<PostMetrics, 'posted_at' | 'view_count'>[],
  zone: string,
): BestHours | null {
  const byHour = new Map<number, number[]>();
  let counted = 0;
  for (const post of posts) {
    if (post.view_count !== null) {
      const hour = Number(inputValue(new Date(post.posted_at), zone).slice(11, 13));
      byHour.set(hour, [...(byHour.get(hour) ?? []), post.view_count]);
      counted++;
    }
  }
  const hours = [...byHour]
    .filter(([, views]) => views.length >= minPerHour)
    .map(([hour, views]) => ({
      hour,
      posts: views.length,
      views: views.reduce((sum, n) => sum + n, 0) / views.length,
    }))
    .sort((a, b) => b.views - a.views || a.hour - b.hour)
    .slice(0, shownHours);
  return counted < minPosts || hours.length === 0 ? null : { posts: counted, hours };
}
