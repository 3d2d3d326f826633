// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { shortDay } from '../../lib/format';
import { Button } from '../../ui/Button';
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
  /** The numbers of posts that were not read, by day. */
  readonly hidden: Readonly<Record<string, number>>;
  readonly drag: Drag;
  readonly moving: Moving | null;
  readonly onOpen: (day: string) => void;
  readonly onPost: (id: number) => void;
  readonly onMove: (post: Post) => void;
}

/** Week shows the posts of seven days, each day in order of time. A button opens the rest of a day. */
export function Week(props: WeekProps) {
  const { days, now, zone, byDay, hidden, drag, moving, onOpen, onPost, onMove } = props;
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
            {hidden[d] !== undefined && (
              <Button
                small
                look="quiet"
                onClick={() => {
                  onOpen(d);
                }}
              >
                {hidden[d]} more
                <span className={css['unseen']}> on {shortDay(d)}</span>
              </Button>
            )}
          </section>
        );
      })}
    </div>
  );
}
