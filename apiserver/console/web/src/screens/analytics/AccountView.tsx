// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';

import { answer, api } from '../../api/client';
import { asFailure } from '../../api/errors';
import { accountAnalyticsQuery, readPosts, type AnalyticsFilter } from '../../api/analytics';
import type { AnalyticsAccount, AnalyticsDay, AnalyticsSummary, PostMetrics } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, platformName, plural } from '../../lib/format';
import { change, count, rate, short } from '../../lib/numbers';
import { csv, save } from '../../lib/text';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Segmented } from '../../ui/Field';
import { Toolbar } from '../../ui/Page';
import { Panel } from '../../ui/Panel';
import { Pager } from '../../ui/Pager';
import { toast } from '../../ui/messages';
import css from './analytics.module.css';
import { HoursTable } from './HoursTable';
import { PostTable, type Sort } from './PostTable';

const Chart = lazy(() => import('./Chart'));

type Period = NonNullable<AnalyticsFilter['period']>;
type Origin = 'all' | 'service';

// A CSV file has at most this many pages of posts.
const exportPages = 40;

/** AccountView shows the totals, the days and the posts of one account. */
export function AccountView({ account }: { readonly account: AnalyticsAccount }) {
  const { brand } = useWorkspace();
  const id = account.social_data_id;
  const [period, setPeriod] = useState<Period>('30d');
  const [origin, setOrigin] = useState<Origin>('all');
  const [sort, setSort] = useState<Sort>({ column: 'view_count', dir: 'desc' });
  const [page, setPage] = useState(1);
  const filter: AnalyticsFilter = { period, filter: origin, sort: sort.column, dir: sort.dir };
  const view = useQuery(accountAnalyticsQuery(brand.id, id, filter, page));
  const data = view.data?.data;
  return (
    <>
      <Toolbar label="Period and posts">
        <Segmented
          label="Period"
          value={period}
          choices={[
            { value: '24h', label: '24 hours' },
            { value: '7d', label: '7 days' },
            { value: '30d', label: '30 days' },
          ]}
          onChange={(next) => {
            setPeriod(next);
            setPage(1);
          }}
        />
        <Segmented
          label="Posts"
          value={origin}
          choices={[
            { value: 'all', label: 'All posts' },
            { value: 'service', label: 'By Reelops' },
          ]}
          onChange={(next) => {
            setOrigin(next);
            setPage(1);
          }}
        />
        <Refresh account={account} />
      </Toolbar>
      {account.refresh_error && <Note tone="warn">{account.refresh_error.message}</Note>}
      {view.error && <ErrorNote error={view.error} onRetry={() => void view.refetch()} />}
      {view.isPending && <Loading lines={8} />}
      {data && (
        <div className={css['view']} aria-busy={view.isFetching}>
          <Totals summary={data.summary} />
          <Charts history={data.history} platform={account.platform} />
          <HoursTable account={id} filter={{ period, filter: origin }} posts={data.summary.post_count} />
          <Panel
            title="Posts"
            actions={
              <>
                <Export account={account} filter={filter} />
                <CopyCurl
                  command={curl('GET', `/analytics/accounts/${String(id)}`, brand.id, { query: { ...filter, page } })}
                />
              </>
            }
          >
            <PostTable
              posts={data.posts}
              sort={sort}
              onSort={(next) => {
                setSort(next);
                setPage(1);
              }}
            />
            <Pager at={view.data?.meta.pagination} noun="post" onPage={setPage} />
          </Panel>
        </div>
      )}
    </>
  );
}

function Totals({ summary }: { readonly summary: AnalyticsSummary }) {
  const tiles = [
    {
      name: 'Followers',
      value: short(summary.follower_count),
      detail: summary.follower_change === null ? '' : `${change(summary.follower_change)} in the period`,
    },
    { name: 'Views', value: short(summary.view_count), detail: `${plural(summary.post_count, 'post')} in the period` },
    { name: 'Likes', value: short(summary.like_count), detail: '' },
    { name: 'Comments', value: short(summary.comment_count), detail: '' },
    { name: 'Shares', value: short(summary.share_count), detail: '' },
    { name: 'Engagement', value: rate(summary.engagement_rate), detail: '' },
  ];
  return (
    <dl className={css['tiles']}>
      {tiles.map((tile) => (
        <div key={tile.name} className={css['tile']}>
          <dt>{tile.name}</dt>
          <dd className={css['value']} data-missing={tile.value === 'not reported'}>
            {tile.value}
          </dd>
          {tile.detail && <dd className={css['detail']}>{tile.detail}</dd>}
        </div>
      ))}
    </dl>
  );
}

interface ChartsProps {
  readonly history: readonly AnalyticsDay[];
  readonly platform: string;
}

function Charts({ history, platform }: ChartsProps) {
  const charts = [
    { name: 'Followers', values: history.map((day) => day.follower_count) },
    { name: 'Views', values: history.map((day) => day.view_count) },
  ];
  return (
    <div className={css['charts']}>
      {charts.map(({ name, values }) => {
        const known = values.filter((value) => value !== null).length;
        return (
          <Panel key={name} title={`${name} by day`}>
            {history.length > 0 && known === 0 && (
              <p className={css['muted']}>{name}: not reported by {platformName(platform)}.</p>
            )}
            {(history.length === 0 || known === 1) && (
              <p className={css['muted']}>The chart begins after the second day of measurements.</p>
            )}
            {known > 1 && (
              <>
                <Suspense fallback={<div className={css['plot']} />}>
                  <Chart name={name} days={history.map((day) => day.date)} values={values} />
                </Suspense>
                <details className={css['days']}>
                  <summary>Show as table</summary>
                  <table className={css['table']}>
                    <thead>
                      <tr>
                        <th scope="col">Day</th>
                        <th scope="col">{name}</th>
                      </tr>
                    </thead>
                    <tbody>
                      {history.map((day, i) => (
                        <tr key={day.date}>
                          <th scope="row">{day.date}</th>
                          <td>{count(values[i])}</td>
                        </tr>
                      ))}
                    </tbody>
                  </table>
                </details>
              </>
            )}
          </Panel>
        );
      })}
    </div>
  );
}

function Refresh({ account }: { readonly account: AnalyticsAccount }) {
  const { zone, session } = useWorkspace();
  const client = useQueryClient();
  const refresh = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/v1/analytics/accounts/{social_data_id}/refresh', {
          params: { path: { social_data_id: account.social_data_id } },
        }),
      ),
    onSuccess: () => {
      toast('Refresh started');
      void client.invalidateQueries({ queryKey: ['analytics'] });
      void client.invalidateQueries({ queryKey: ['account-analytics'] });
    },
    onError: (error) => {
      toast(asFailure(error).message, true);
    },
  });
  return (
    <div className={css['refresh']}>
      <span className={css['muted']}>
        {account.last_refreshed_at ? `As of ${dateTime(account.last_refreshed_at, zone)}` : 'Not read yet'}
      </span>
      {session.can.refresh_analytics && (
        <Button
          small
          icon="refresh"
          busy={refresh.isPending || account.refreshing}
          disabled={account.refresh_available_at !== null}
          title={
            account.refresh_available_at
              ? `Possible again at ${dateTime(account.refresh_available_at, zone)}`
              : undefined
          }
          onClick={() => {
            refresh.mutate();
          }}
        >
          {account.refreshing ? 'Refreshing' : 'Refresh'}
        </Button>
      )}
    </div>
  );
}

interface ExportProps {
  readonly account: AnalyticsAccount;
  readonly filter: AnalyticsFilter;
}

/** Export saves all posts of the period as CSV. Numbers that are not reported are empty. */
function Export({ account, filter }: ExportProps) {
  const make = useMutation({
    mutationFn: () => readPosts(account.social_data_id, filter, exportPages),
    onSuccess: (posts) => {
      const name = `analytics-${account.platform}-${String(account.social_data_id)}-${filter.period ?? '30d'}.csv`;
      save(name, 'text/csv', csv([header, ...posts.map(row)]));
    },
    onError: (error) => {
      toast(asFailure(error).message, true);
    },
  });
  return (
    <Button
      small
      icon="download"
      busy={make.isPending}
      onClick={() => {
        make.mutate();
      }}
    >
      CSV
    </Button>
  );
}

const header = [
  'platform_post_id',
  'post_url',
  'posted_at',
  'title',
  'caption',
  'view_count',
  'like_count',
  'comment_count',
  'share_count',
  'favorite_count',
  'engagement_rate',
];

function row(post: PostMetrics): readonly (string | number | null)[] {
  return [
    post.platform_post_id,
    post.post_url,
    post.posted_at,
    post.title,
    post.caption,
    post.view_count,
    post.like_count,
    post.comment_count,
    post.share_count,
    post.favorite_count,
    post.engagement_rate,
  ];
}
