// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, type KeyboardEvent } from 'react';

import type { Post } from '../../api/schema.gen';
import { dayName, plural } from '../../lib/format';
import { addDays, addMonths, monthDays, weekStart } from '../../lib/time';
import { useWorkspace } from '../../shell/workspace';
import { classes } from '../../ui/classes';
import css from './calendar.module.css';
import { Chip } from './Chip';
import type { Drag } from './drag';
import { movable, type Moving } from './move';

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

// A cell shows this many posts. The others are in the dialog of the day.
const shown = 3;

interface MonthProps {
  readonly day: string;
  readonly now: string;
  readonly zone: string;
  readonly byDay: ReadonlyMap<string, readonly Post[]>;
  /** The numbers of posts that were not read, by day. */
  readonly hidden: Readonly<Record<string, number>>;
  /** Whether days may have more posts than the numbers. */
  readonly partial: boolean;
  readonly onSelect: (day: string) => void;
  readonly onOpen: (day: string) => void;
  readonly drag: Drag;
  readonly moving: Moving | null;
  readonly onPost: (id: number) => void;
  readonly onMove: (post: Post) => void;
}

/**
 * Month is a grid of days. Arrow keys move between days, Page Up and Page Down between months, Enter opens a day, and M
 * picks up the day's first post that can be moved.
 */
export function Month(props: MonthProps) {
  const { day, now, zone, byDay, hidden, partial, drag, moving, onSelect, onOpen, onPost, onMove } = props;
  const { can } = useWorkspace();
  const grid = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  useEffect(() => {
    if (moved.current) {
      moved.current = false;
      grid.current?.querySelector<HTMLElement>(`[data-day="${day}"]`)?.focus();
    }
  }, [day]);
  const move = (next: string) => {
    moved.current = true;
    onSelect(next);
  };
  const press = (event: KeyboardEvent, at: string) => {
    const targets: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => { move(addDays(at, -1)); },
      ArrowRight: () => { move(addDays(at, 1)); },
      ArrowUp: () => { move(addDays(at, -7)); },
      ArrowDown: () => { move(addDays(at, 7)); },
      Home: () => { move(weekStart(at)); },
      End: () => { move(addDays(weekStart(at), 6)); },
      PageUp: () => { move(addMonths(at, -1)); },
      PageDown: () => { move(addMonths(at, 1)); },
      Enter: () => { onOpen(at); },
      ' ': () => { onOpen(at); },
      m: () => {
        const first = byDay.get(at)?.find((post) => movable(post, can('posts:write')));
        if (first) {
          onMove(first);
        }
      },
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : targets[event.key];
    if (act && event.target === event.currentTarget) {
      event.preventDefault();
      act();
    }
  };
  const days = monthDays(day);
  const weeks = Array.from({ length: days.length / 7 }, (_, i) => days.slice(i * 7, i * 7 + 7));
  return (
    <div ref={grid} className={css['month']} role="grid" aria-label="Posts by day">
      <div role="row" className={css['weekdays']}>
        {weekdays.map((name) => (
          <div key={name} role="columnheader">
            {name}
          </div>
        ))}
      </div>
      {weeks.map((week) => (
        <div key={week[0]} role="row" className={css['week']}>
          {week.map((d) => {
            const posts = byDay.get(d) ?? [];
            const count = posts.length + (hidden[d] ?? 0);
            const atLeast = partial && d <= now;
            return (
              <div
                key={d}
                role="gridcell"
                data-day={d}
                tabIndex={d === day ? 0 : -1}
                aria-selected={d === day}
                {...(d === now ? { 'aria-current': 'date' as const } : {})}
                className={classes(
                  css['cell'],
                  d.slice(0, 7) !== day.slice(0, 7) && css['outside'],
                  d === now && css['now'],
                  d === moving?.to && css['target'],
                )}
                onKeyDown={(event) => {
                  press(event, d);
                }}
                onClick={() => {
                  if (!drag.ended()) {
                    onSelect(d);
                    onOpen(d);
                  }
                }}
              >
                <span className={css['number']} aria-hidden="true">
                  {Number(d.slice(8))}
                </span>
                <span className={css['unseen']}>
                  {dayName(d)}, {atLeast && 'at least '}
                  {count === 0 && !atLeast ? 'no posts' : plural(count, 'post')}.
                </span>
                {posts.slice(0, shown).map((post) => (
                  <Chip
                    key={post.id}
                    post={post}
                    zone={zone}
                    reachable={false}
                    drag={drag}
                    moving={moving}
                    onOpen={onPost}
                    onMove={onMove}
                  />
                ))}
                {count > shown && (
                  <span className={css['rest']}>
                    {count - shown}
                    {atLeast && ' or'} more
                  </span>
                )}
                {count > 0 && (
                  <span className={css['dots']} aria-hidden="true">
                    {count}
                    {atLeast && '+'}
                  </span>
                )}
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}
