// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';

import { jobQuery, recentPostsQuery } from '../../api/activity';
import { shortsQuery } from '../../api/queries';
import type { ShortSummary } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, platformName, shortState, time } from '../../lib/format';
import { postName, postState } from '../../lib/posts';
import { useWorkspace } from '../../shell/workspace';
import { CopyCurl } from '../../ui/Copy';
import { Badge, Empty, ErrorNote, Loading } from '../../ui/Feedback';
import { PlatformIcon } from '../../ui/Icon';
import { Meter } from '../../ui/Meter';
import { Page } from '../../ui/Page';
import { Pager } from '../../ui/Pager';
import { Panel } from '../../ui/Panel';
import css from './activity.module.css';

/** Activity shows what is being created and rendered now, and the posts with the way of each to the platform. */
export default function Activity() {
  const { can } = useWorkspace();
  return (
    <Page title="Activity" lead="What Reelops is doing for this brand.">
      <div className={css['panels']}>
        <Queue />
        {can('posts:read') && <Posts />}
      </div>
    </Page>
  );
}

const working = { short_type: 'all', order: 'created_desc', status: 'processing' } as const;
const newest = { short_type: 'all', order: 'created_desc' } as const;

/**
 * Queue lists the shorts in work. The list of shorts has no filter for renders, so those of the newest 50 shorts are
 * shown beside all shorts that are being created.
 */
function Queue() {
  const { brand } = useWorkspace();
  const created = useQuery({ ...shortsQuery(brand.id, working, 1), refetchInterval: 5000 });
  const all = useQuery({ ...shortsQuery(brand.id, newest, 1), refetchInterval: 10_000 });
  const error = created.error ?? all.error;
  const rendered = all.data?.data.filter((s) => s.render_status === 'queued' || s.render_status === 'processing');
  const list = [...new Map([...(created.data?.data ?? []), ...(rendered ?? [])].map((s) => [s.id, s])).values()];
  return (
    <Panel
      title="In progress"
      actions={<CopyCurl command={curl('GET', '/shorts', brand.id, { query: { ...working, per_page: 50 } })} />}
    >
      {error && (
        <ErrorNote
          error={error}
          onRetry={() => {
            void created.refetch();
            void all.refetch();
          }}
        />
      )}
      {created.isPending && <Loading lines={3} />}
      {created.data && list.length === 0 && <p className={css['muted']}>Nothing is being created or rendered.</p>}
      {list.length > 0 && (
        <ul className={css['list']}>
          {list.map((short) => (
            <Work key={short.id} short={short} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

function Work({ short }: { readonly short: ShortSummary }) {
  const { zone } = useWorkspace();
  const job = useQuery(jobQuery(short.id)).data;
  const state = shortState(short);
  return (
    <li className={css['work']}>
      <div className={css['row']}>
        <Link href={`/shorts/${String(short.id)}`}>
          <bdi>{short.title ?? `Short ${String(short.id)}`}</bdi>
        </Link>
        <Badge tone={state.tone}>{state.text}</Badge>
      </div>
      {job && (
        <>
          <Meter
            value={job.status === 'queued' ? null : job.progress / 100}
            label={`Progress of short ${String(short.id)}`}
            tone="info"
          />
          <p className={css['muted']}>
            {job.status_message}
            {job.estimated_completion_at && ` Expected at ${time(job.estimated_completion_at, zone)}.`}
          </p>
        </>
      )}
    </li>
  );
}

/** Posts lists the posts of the brand in the order of time, the latest first. */
function Posts() {
  const { brand, zone } = useWorkspace();
  const [page, setPage] = useState(1);
  const posts = useQuery(recentPostsQuery(brand.id, page));
  const list = posts.data?.data;
  return (
    <Panel
      title="Posts"
      actions={
        <CopyCurl
          command={curl('GET', '/posts', brand.id, { query: { order: 'scheduled_desc', page, per_page: 50 } })}
        />
      }
    >
      {posts.error && <ErrorNote error={posts.error} onRetry={() => void posts.refetch()} />}
      {posts.isPending && <Loading lines={6} />}
      {list?.length === 0 && (
        <Empty icon="publish" title="No posts yet">
          <p>Publish a short. Each post then has its way here, from the request to the platform.</p>
        </Empty>
      )}
      {list && list.length > 0 && (
        <ul className={css['list']}>
          {list.map((post) => {
            const state = postState(post);
            return (
              <li key={post.id} className={css['post']}>
                <PlatformIcon platform={post.platform} />
                <span className={css['what']}>
                  <Link href={`/posts/${String(post.id)}`}>
                    <bdi>{postName(post)}</bdi>
                  </Link>
                  <span className={css['muted']}>
                    <bdi>{post.account_name ?? platformName(post.platform)}</bdi> · changed{' '}
                    <time dateTime={post.updated_at}>{dateTime(post.updated_at, zone)}</time>
                  </span>
                </span>
                <Badge tone={state.tone}>{state.text}</Badge>
              </li>
            );
          })}
        </ul>
      )}
      <Pager at={posts.data?.meta.pagination} noun="post" onPage={setPage} />
    </Panel>
  );
}
