// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { shortDay } from '../../lib/format';
import { classes } from '../../ui/classes';
import css from './calendar.module.css';
import { Chip } from './Chip';
import type { Drag } from './drag';
import type { Moving } from './move';

interface WeekProps {
  readonly days: readonly string[];
  readonly now: string;
  readonly zone: string;
  readonly byDay: ReadonlyMap<string, readonly Post[]>;
  readonly drag: Drag;
  readonly moving: Moving | null;
  readonly onPost: (id: number) => void;
  readonly onMove: (post: Post) => void;
}

/** Week shows all posts of seven days, each day in order of time. */
export function Week({ days, now, zone, byDay, drag, moving, onPost, onMove }: WeekProps) {
  return (
    <div className={css['days']}>
      {days.map((d) => {
        const posts = byDay.get(d) ?? [];
        return (
          <section
            key={d}
            data-day={d}
            className={classes(css['day'], d === now && css['now'], d === moving?.to && css['target'])}
          >
            <h3>{shortDay(d)}</h3>
            {posts.length === 0 ? (
              <p className={css['none']}>No posts</p>
            ) : (
              <ul>
                {posts.map((post) => (
                  <li key={post.id}>
                    <Chip
                      post={post}
                      zone={zone}
                      reachable
                      drag={drag}
                      moving={moving}
                      onOpen={onPost}
                      onMove={onMove}
                    />
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
