// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useSearchParams } from 'wouter';

import { asFailure } from '../../api/errors';
import { connectionsQuery, type PostFilter } from '../../api/queries';
import { curl } from '../../lib/curl';
import { dayName, monthName, platformName, platformNames, shortDay } from '../../lib/format';
import { postName, postState, postTime } from '../../lib/posts';
import { addDays, addMonths, dayOf, monthDays, today, weekDays } from '../../lib/time';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink, IconButton } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { Empty, ErrorNote, Note } from '../../ui/Feedback';
import { Segmented, SelectField } from '../../ui/Field';
import { Page, Toolbar } from '../../ui/Page';
import css from './calendar.module.css';
import { DayPosts } from './DayPosts';
import { Month } from './Month';
import { PostDialog } from './PostDialog';
import { useDrag } from './drag';
import { ExportDialog } from './ExportDialog';
import { useCheck, useMove } from './move';
import { MoveBar } from './MoveBar';
import moveCss from './move.module.css';
import { useCalendarPosts } from './posts';
import { boundsOf, type Range } from './reading';
import type { Post } from '../../api/schema.gen';
import { Week } from './Week';

type View = 'month' | 'week' | 'list';

const views: readonly { readonly value: View; readonly label: string }[] = [
  { value: 'month', label: 'Month' },
  { value: 'week', label: 'Week' },
  { value: 'list', label: 'List' },
];

const statuses = ['scheduled', 'draft', 'pending', 'retrying', 'success', 'failed', 'cancelled'] as const;
const platforms = ['tiktok', 'youtube', 'instagram', 'linkedin'] as const;

/** Calendar shows the posts of a month or week in the brand's time zone. View and day are part of the address. */
export default function Calendar() {
  const { brand, zone } = useWorkspace();
  const [search, setSearch] = useSearchParams();
  const [openDay, setOpenDay] = useState<string | null>(null);
  const [openPost, setOpenPost] = useState<number | null>(null);
  const [exporting, setExporting] = useState(false);
  const narrow = matchMedia('(width < 560px)').matches;
  const view = views.find((v) => v.value === search.get('view'))?.value ?? (narrow ? 'list' : 'month');
  const now = today(zone);
  const asked = search.get('day') ?? '';
  const day = /^\d{4}-\d{2}-\d{2}$/.test(asked) && !Number.isNaN(Date.parse(asked)) ? asked : now;
  const status = statuses.find((s) => s === search.get('state'));
  const platform = platforms.find((p) => p === search.get('platform'));
  const accounts = useQuery(connectionsQuery(brand.id)).data?.accounts ?? [];
  const account = accounts.find((a) => String(a.social_data_id) === search.get('account'))?.social_data_id;
  const filter: PostFilter = {
    ...(status ? { status } : {}),
    ...(platform ? { platform } : {}),
    ...(account ? { account } : {}),
  };
  const week = weekDays(day);
  const days = view === 'week' ? week : monthDays(day);
  const range = { first: days[0] ?? day, last: days.at(-1) ?? day };
  const exported = view === 'week' ? range : monthOf(day);
  const { scheduled: query, immediate, byDay } = useCalendarPosts(brand.id, filter, range, zone);
  const hidden = query.data?.hidden ?? {};
  const partial = typeof immediate.parts.at(-1)?.next === 'number';
  const set = (changes: Readonly<Record<string, string>>) => {
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        for (const [name, value] of Object.entries(changes)) {
          if (value) {
            next.set(name, value);
          } else {
            next.delete(name);
          }
        }
        return next;
      },
      { replace: true },
    );
  };
  const select = (next: string) => {
    set({ day: next });
  };
  const step = (direction: number) => {
    select(view === 'week' ? addDays(day, 7 * direction) : addMonths(day, direction));
  };
  const title =
    view === 'week' ? `${shortDay(week[0] ?? day)} to ${shortDay(week[6] ?? day)}` : monthName(day);
  const all = [...byDay.values()].flat();
  const post = all.find((p) => p.id === openPost);
  const move = useMove();
  const { moving } = move;
  const check = useCheck(moving, all, hidden);
  const ghost = useRef<HTMLDivElement>(null);
  const drag = useDrag(move, check.blocked !== '', ghost);
  const pickUp = (picked: Post) => {
    setOpenDay(null);
    setOpenPost(null);
    move.pickUp(picked, 'keyboard');
  };
  const none = query.data && !immediate.pending && !query.isPlaceholderData && all.length === 0 && view !== 'list';
  const listed = { ...filter, ...boundsOf(range, zone), order: 'scheduled_asc', per_page: 50 };
  return (
    <Page
      title="Calendar"
      lead={`Times are in ${zone}.`}
      actions={
        <>
          <CopyCurl command={curl('GET', '/posts', brand.id, { query: listed })} />
          <Button
            icon="download"
            onClick={() => {
              setExporting(true);
            }}
          >
            Export
          </Button>
        </>
      }
    >
      <Toolbar label="Period and filters">
        <div className={css['period']}>
          <IconButton
            icon="back"
            label={view === 'week' ? 'Previous week' : 'Previous month'}
            onClick={() => {
              step(-1);
            }}
          />
          <h2 aria-live="polite">{title}</h2>
          <IconButton
            icon="next"
            label={view === 'week' ? 'Next week' : 'Next month'}
            onClick={() => {
              step(1);
            }}
          />
          <Button
            small
            onClick={() => {
              select(now);
            }}
          >
            Today
          </Button>
        </div>
        <Segmented
          label="View"
          value={view}
          choices={views}
          onChange={(next) => {
            set({ view: next });
          }}
        />
        <div className={css['filters']}>
          <SelectField
            label="State"
            value={status ?? ''}
            onChange={(event) => {
              set({ state: event.target.value });
            }}
          >
            <option value="">Any state</option>
            {statuses.map((s) => (
              <option key={s} value={s}>
                {postState({ status: s, delivery_state: null }).text}
              </option>
            ))}
          </SelectField>
          <SelectField
            label="Platform"
            value={platform ?? ''}
            onChange={(event) => {
              set({ platform: event.target.value });
            }}
          >
            <option value="">Any platform</option>
            {platforms.map((p) => (
              <option key={p} value={p}>
                {platformNames[p]}
              </option>
            ))}
          </SelectField>
          {accounts.length > 0 && (
            <SelectField
              label="Account"
              value={account ?? ''}
              onChange={(event) => {
                set({ account: event.target.value });
              }}
            >
              <option value="">Any account</option>
              {accounts.map((a) => (
                <option key={a.social_data_id} value={a.social_data_id}>
                  {a.account_name ?? a.username ?? a.social_data_id} ({platformName(a.platform)})
                </option>
              ))}
            </SelectField>
          )}
        </div>
      </Toolbar>
      {query.error && <ErrorNote error={query.error} onRetry={() => void query.refetch()} />}
      {immediate.error && <ErrorNote error={immediate.error} onRetry={immediate.more} />}
      {none && (
        <div className={css['hint']}>
          <Note>
            {status || platform || account
              ? 'No post matches in this period.'
              : 'Nothing is published or scheduled in this period. Open a short in the library and choose Publish.'}
          </Note>
        </div>
      )}
      {partial && (
        <div className={css['hint']}>
          <Note>
            <p>This period may have more posts without a schedule than the calendar shows.</p>
            <div>
              <Button small busy={immediate.busy} onClick={immediate.more}>
                Load more
              </Button>
            </div>
          </Note>
        </div>
      )}
      <div aria-busy={query.isFetching || immediate.busy} className={moving ? css['moving'] : undefined}>
        {view === 'month' && (
          <Month
            day={day}
            now={now}
            zone={zone}
            byDay={byDay}
            hidden={hidden}
            partial={partial}
            drag={drag}
            moving={moving}
            onSelect={select}
            onOpen={setOpenDay}
            onPost={setOpenPost}
            onMove={pickUp}
          />
        )}
        {view === 'week' && (
          <Week
            days={week}
            now={now}
            zone={zone}
            byDay={byDay}
            hidden={hidden}
            drag={drag}
            moving={moving}
            onOpen={setOpenDay}
            onPost={setOpenPost}
            onMove={pickUp}
          />
        )}
        {view === 'list' && (
          <Agenda
            month={day.slice(0, 7)}
            byDay={byDay}
            hidden={hidden}
            filter={filter}
            loading={query.isPending || immediate.pending}
            onMove={pickUp}
          />
        )}
      </div>
      {moving && (
        <MoveBar
          moving={moving}
          check={check}
          onOver={(to) => {
            move.over(to);
            select(to);
          }}
          onDrop={() => {
            if (!check.blocked) {
              move.drop(moving.post, moving.to);
            }
          }}
          onCancel={move.cancel}
        />
      )}
      {moving?.by === 'pointer' && (
        <div ref={ghost} className={moveCss['ghost']} aria-hidden="true">
          {postName(moving.post)}
        </div>
      )}
      {move.refused && <RefusedDialog post={move.refused.post} error={move.refused.error} onClose={move.forget} />}
      {exporting && (
        <ExportDialog
          title={title}
          range={exported}
          posts={all.filter((p) => inRange(dayOf(postTime(p), zone), exported))}
          hidden={total(hidden, exported)}
          onClose={() => {
            setExporting(false);
          }}
        />
      )}
      {openDay && (
        <Dialog
          title={dayName(openDay)}
          onClose={() => {
            setOpenDay(null);
          }}
        >
          {byDay.has(openDay) ? (
            <DayPosts
              day={openDay}
              posts={byDay.get(openDay) ?? []}
              hidden={hidden[openDay] ?? 0}
              filter={filter}
              onMove={pickUp}
            />
          ) : (
            <p>No posts on this day. To schedule one, open a short and choose Publish.</p>
          )}
        </Dialog>
      )}
      {post && (
        <PostDialog
          post={post}
          onMove={pickUp}
          onClose={() => {
            setOpenPost(null);
          }}
        />
      )}
    </Page>
  );
}

/** monthOf returns the first and the last day of the day's month. */
function monthOf(day: string): Range {
  const first = `${day.slice(0, 7)}-01`;
  return { first, last: addDays(addMonths(first, 1), -1) };
}

function inRange(day: string, range: Range): boolean {
  return range.first <= day && day <= range.last;
}

/** total returns the number of hidden posts in a range. */
function total(hidden: Readonly<Record<string, number>>, range: Range): number {
  return Object.entries(hidden).reduce((sum, [day, count]) => (inRange(day, range) ? sum + count : sum), 0);
}

interface RefusedProps {
  readonly post: Post;
  readonly error: unknown;
  readonly onClose: () => void;
}

/** RefusedDialog shows why a post stayed where it was. */
function RefusedDialog({ post, error, onClose }: RefusedProps) {
  const managed = asFailure(error).details['managed_by'];
  return (
    <Dialog
      title="The post was not moved"
      onClose={onClose}
      footer={<Button onClick={onClose}>Close</Button>}
    >
      <p dir="auto">{postName(post)}</p>
      {typeof managed === 'string' && (
        <Note>
          <p>
            This post is managed by <bdi>{managed}</bdi>. Change it where its manifest is kept.
          </p>
        </Note>
      )}
      <ErrorNote error={error} />
    </Dialog>
  );
}

interface AgendaProps {
  readonly month: string;
  readonly byDay: ReadonlyMap<string, readonly Post[]>;
  readonly hidden: Readonly<Record<string, number>>;
  readonly filter: PostFilter;
  readonly loading: boolean;
  readonly onMove: (post: Post) => void;
}

function Agenda({ month, byDay, hidden, filter, loading, onMove }: AgendaProps) {
  const days = [...byDay.keys()].filter((d) => d.startsWith(month)).sort();
  if (days.length === 0 && !loading) {
    return (
      <Empty
        icon="calendar"
        title="No posts in this month"
        action={<ButtonLink to="/">Open the library</ButtonLink>}
      >
        <p>Choose another month, or publish a short.</p>
      </Empty>
    );
  }
  return (
    <div className={css['agenda']}>
      {days.map((d) => (
        <section key={d}>
          <h3>{dayName(d)}</h3>
          <DayPosts day={d} posts={byDay.get(d) ?? []} hidden={hidden[d] ?? 0} filter={filter} onMove={onMove} />
        </section>
      ))}
    </div>
  );
}
