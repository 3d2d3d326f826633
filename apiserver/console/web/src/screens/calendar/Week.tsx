// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { shortDay } from '../../lib/format';
import { classes } from '../../ui/classes';
import css from './calendar.module.css';
import { Chip } from './Chip';

interface WeekProps {
  readonly days: readonly string[];
  readonly now: string;
  readonly zone: string;
  readonly byDay: ReadonlyMap<string, readonly Post[]>;
  readonly onPost: (id: number) => void;
}

/** Week shows all posts of seven days, each day in order of time. */
export function Week({ days, now, zone, byDay, onPost }: WeekProps) {
  return (
    <div className={css['days']}>
      {days.map((d) => {
        const posts = byDay.get(d) ?? [];
        return (
          <section key={d} className={classes(css['day'], d === now && css['now'])}>
            <h3>{shortDay(d)}</h3>
            {posts.length === 0 ? (
              <p className={css['none']}>No posts</p>
            ) : (
              <ul>
                {posts.map((post) => (
                  <li key={post.id}>
                    <Chip post={post} zone={zone} reachable onOpen={onPost} />
                  </li>
                ))}
              </ul>
            )}
          </section>
        );
      })}
    </div>
  );
}
