// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { brandQuery, postsQuery, shortQuery } from '../../api/queries';
import type { Post } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, platformName, plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { ButtonLink } from '../../ui/Button';
import { Command, CopyCurl } from '../../ui/Copy';
import { Empty, ErrorNote, Loading } from '../../ui/Feedback';
import { PlatformIcon } from '../../ui/Icon';
import { Page } from '../../ui/Page';
import { Pager } from '../../ui/Pager';
import { Picture } from '../../ui/Picture';
import { Player } from '../short/Player';
import css from './approvals.module.css';

/** Approvals lists the posts that wait for approval, by batch, with their video and texts. */
export default function Approvals() {
  const { brand } = useWorkspace();
  const [page, setPage] = useState(1);
  const posts = useQuery({ ...postsQuery(brand.id, { status: 'draft' }, page), refetchInterval: 30_000 });
  const detail = useQuery(brandQuery(brand.id));
  const batches = groupByBatch(posts.data?.data ?? []);
  return (
    <Page
      title="Approvals"
      lead="Posts that a person has to approve before they are published."
      actions={
        <CopyCurl command={curl('GET', '/posts', brand.id, { query: { status: 'draft', page, per_page: 50 } })} />
      }
    >
      {posts.error && <ErrorNote error={posts.error} onRetry={() => void posts.refetch()} />}
      {posts.isPending && <Loading lines={8} />}
      {posts.data && batches.length === 0 && (
        <Empty icon="approve" title="Nothing waits for approval">
          <p>
            {detail.data?.approval_required
              ? 'Posts of this brand need approval. They appear here after a user publishes or schedules a short.'
              : 'Posts of this brand do not need approval. An administrator can require it with approval: hold.'}
          </p>
        </Empty>
      )}
      <ul className={css['list']}>
        {batches.map(([batch, members]) => (
          <Batch key={batch} batch={batch} posts={members} />
        ))}
      </ul>
      <Pager at={posts.data?.meta.pagination} noun="post" onPage={setPage} />
    </Page>
  );
}

function groupByBatch(posts: readonly Post[]): readonly (readonly [string, readonly Post[]])[] {
  const batches = new Map<string, Post[]>();
  for (const post of posts) {
    batches.set(post.batch_id, [...(batches.get(post.batch_id) ?? []), post]);
  }
  return [...batches];
}

interface BatchProps {
  readonly batch: string;
  readonly posts: readonly Post[];
}

function Batch({ batch, posts }: BatchProps) {
  const { account, session, zone } = useWorkspace();
  const id = posts[0]?.short_id ?? 0;
  const short = useQuery({ ...shortQuery(id), enabled: id > 0 });
  const scheduled = posts[0]?.scheduled_at ?? null;
  return (
    <li className={css['batch']}>
      <div className={css['video']}>
        {short.data ? <Player short={short.data} /> : <Picture url={null} alt="" fallback="video" />}
      </div>
      <div className={css['detail']}>
        <header className={css['head']}>
          <div>
            <h2 dir="auto">{short.data?.title ?? `Short ${String(id)}`}</h2>
            <p className={css['muted']}>
              {plural(posts.length, 'post')},{' '}
              {scheduled ? (
                <>
                  scheduled for <time dateTime={scheduled}>{dateTime(scheduled, zone)}</time>
                </>
              ) : (
                'published on approval'
              )}
            </p>
          </div>
          <ButtonLink to={`/shorts/${String(id)}`} small icon="video">
            Open short
          </ButtonLink>
        </header>
        <ul className={css['texts']}>
          {posts.map((post) => (
            <li key={post.id} className={css['text']}>
              <h3>
                <PlatformIcon platform={post.platform} />
                <bdi>{post.account_name ?? platformName(post.platform)}</bdi>
              </h3>
              {post.title && (
                <p dir="auto">
                  <strong>{post.title}</strong>
                </p>
              )}
              <p className={css['caption']} dir="auto">
                {post.caption ?? 'No caption.'}
              </p>
            </li>
          ))}
        </ul>
        {session.can.approve ? (
          <Command text={`kubectl reelops approve ${batch} --account ${account}`} />
        ) : (
          <p className={css['muted']}>Your role cannot approve posts. Ask a user with the role approver.</p>
        )}
      </div>
    </li>
  );
}
