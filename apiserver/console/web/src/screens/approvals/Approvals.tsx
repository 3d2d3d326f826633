// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useState } from 'react';

import { reviewQuery } from '../../api/posts';
import { brandQuery, postsQuery, shortQuery } from '../../api/queries';
import type { Post, ShortDetail } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, platformName, plural } from '../../lib/format';
import { postName } from '../../lib/posts';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Badge, Empty, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Segmented } from '../../ui/Field';
import { PlatformIcon } from '../../ui/Icon';
import { Page, Toolbar } from '../../ui/Page';
import { Pager } from '../../ui/Pager';
import { ApprovalNote } from '../post/ApprovalNote';
import { DecisionDialog, type Verdict } from '../post/DecisionDialog';
import { PostContent } from '../post/PostContent';
import { PostPlayer, RevisionNote } from '../post/PostPlayer';
import css from './approvals.module.css';

type View = 'waiting' | 'returned';

const views: readonly { readonly value: View; readonly label: string }[] = [
  { value: 'waiting', label: 'Waiting' },
  { value: 'returned', label: 'Returned' },
];

interface Decision {
  readonly verdict: Verdict;
  readonly posts: readonly Post[];
}

/** Approvals lists the posts that wait for approval, by batch, with their own media, texts and settings. */
export default function Approvals() {
  const { brand, session } = useWorkspace();
  const [page, setPage] = useState(1);
  const [view, setView] = useState<View>('waiting');
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const [decision, setDecision] = useState<Decision | null>(null);
  const posts = useQuery({ ...postsQuery(brand.id, { status: 'draft' }, page), refetchInterval: 30_000 });
  const detail = useQuery(brandQuery(brand.id));
  const listed: readonly Post[] = posts.data?.data ?? [];
  const shown = listed.filter((post) => (post.approval.state === 'returned') === (view === 'returned'));
  const batches = groupByBatch(shown);
  const selected = shown.filter((post) => chosen.has(post.id));
  const decides = session.can.approve;
  const [reviewed, setReviewed] = useState<ReadonlySet<string>>(new Set());
  // A user approves only what the page showed.
  const approves = (some: readonly Post[]) => decides && some.every((post) => reviewed.has(versionOf(post)));
  const choose = (ids: readonly number[], on: boolean) => {
    setChosen((before) => {
      const next = new Set(before);
      for (const id of ids) {
        if (on) {
          next.add(id);
        } else {
          next.delete(id);
        }
      }
      return next;
    });
  };
  return (
    <Page
      title="Approvals"
      lead="Posts that a person has to approve before they are published."
      actions={
        <CopyCurl command={curl('GET', '/posts', brand.id, { query: { status: 'draft', page, per_page: 50 } })} />
      }
    >
      <Toolbar label="Selection">
        <Segmented label="State" value={view} choices={views} onChange={setView} />
        {shown.length > 0 && (
          <>
            <Button
              small
              disabled={!decides}
              onClick={() => {
                choose(
                  shown.map((post) => post.id),
                  selected.length < shown.length,
                );
              }}
            >
              {selected.length < shown.length ? 'Select all' : 'Select none'}
            </Button>
            <Button
              small
              look="primary"
              icon="approve"
              disabled={!approves(selected) || selected.length === 0}
              onClick={() => {
                setDecision({ verdict: 'approve', posts: selected });
              }}
            >
              Approve {selected.length > 0 && selected.length}
            </Button>
            <Button
              small
              disabled={!decides || selected.length === 0}
              onClick={() => {
                setDecision({ verdict: 'return', posts: selected });
              }}
            >
              Return {selected.length > 0 && selected.length}
            </Button>
          </>
        )}
      </Toolbar>
      {!decides && shown.length > 0 && (
        <div className={css['reason']}>
          <Note>Your role cannot approve posts. Ask a user with the role approver.</Note>
        </div>
      )}
      {posts.error && <ErrorNote error={posts.error} onRetry={() => void posts.refetch()} />}
      {posts.isPending && <Loading lines={8} />}
      {posts.data && batches.length === 0 && view === 'returned' && (
        <Empty icon="approve" title="No returned posts">
          <p>Posts that were returned to their authors appear here until they are edited.</p>
        </Empty>
      )}
      {posts.data && batches.length === 0 && view === 'waiting' && (
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
          <Batch
            key={batch}
            posts={members}
            chosen={chosen}
            decides={decides}
            approves={approves(members)}
            onChoose={choose}
            onReview={(post) => {
              setReviewed((before) => new Set(before).add(versionOf(post)));
            }}
            onDecide={(verdict) => {
              setDecision({ verdict, posts: members });
            }}
          />
        ))}
      </ul>
      <Pager at={posts.data?.meta.pagination} noun="post" onPage={setPage} />
      {decision && (
        <DecisionDialog
          verdict={decision.verdict}
          posts={decision.posts}
          onClose={() => {
            setDecision(null);
            setChosen(new Set());
          }}
        />
      )}
    </Page>
  );
}

interface ReviewProps {
  readonly post: Post;
  readonly short: ShortDetail | undefined;
  /** played is the post whose files the batch shows. */
  readonly played: Post | undefined;
  readonly onReview: (post: Post) => void;
}

/** Review shows the content of a post that lists omit, and its files if they are not those of the batch. */
function Review({ post, short, played, onReview }: ReviewProps) {
  const whole = useQuery(reviewQuery(post));
  const shown = whole.data ? versionOf(post) : '';
  const report = useEffectEvent(() => {
    onReview(post);
  });
  useEffect(() => {
    if (shown) {
      report();
    }
  }, [shown]);
  if (!whole.data) {
    return whole.error ? <ErrorNote error={whole.error} onRetry={() => void whole.refetch()} /> : <Loading lines={2} />;
  }
  return (
    <>
      <RevisionNote post={whole.data} short={short} />
      {played && filesOf(played) !== filesOf(whole.data) && <PostPlayer post={whole.data} short={short} />}
      <PostContent post={whole.data} />
    </>
  );
}

/** versionOf identifies the content of a post. */
function versionOf(post: Pick<Post, 'id' | 'edits'>): string {
  return `${String(post.id)}/${String(post.edits)}`;
}

/** filesOf identifies the files of a post, without the signatures of their URLs. */
function filesOf({ media }: Post): string {
  return [media?.video_url ?? '', ...(media?.image_urls ?? [])].map((url) => url.split('?', 1)[0]).join(' ');
}

function groupByBatch(posts: readonly Post[]): readonly (readonly [string, readonly Post[]])[] {
  const batches = new Map<string, Post[]>();
  for (const post of posts) {
    batches.set(post.batch_id, [...(batches.get(post.batch_id) ?? []), post]);
  }
  return [...batches];
}

interface BatchProps {
  readonly posts: readonly Post[];
  readonly chosen: ReadonlySet<number>;
  readonly decides: boolean;
  /** Whether the user may approve the posts, and the page shows the content of all of them. */
  readonly approves: boolean;
  readonly onChoose: (ids: readonly number[], on: boolean) => void;
  readonly onReview: (post: Post) => void;
  readonly onDecide: (verdict: Verdict) => void;
}

function Batch({ posts, chosen, decides, approves, onChoose, onReview, onDecide }: BatchProps) {
  const { zone } = useWorkspace();
  const id = posts[0]?.short_id ?? 0;
  const short = useQuery({ ...shortQuery(id), enabled: id > 0 });
  const first = useQuery({ ...reviewQuery(posts[0] ?? { id: 0, edits: 0 }), enabled: posts.length > 0 });
  const title = short.data?.title ?? `Short ${String(id)}`;
  return (
    <li className={css['batch']}>
      <div className={css['video']}>
        <PostPlayer post={first.data} short={short.data} />
      </div>
      <div className={css['detail']}>
        <header className={css['head']}>
          <div>
            <h2 dir="auto">{title}</h2>
            <p className={css['muted']}>{plural(posts.length, 'post')}</p>
          </div>
          <ButtonLink to={`/shorts/${String(id)}`} small icon="video">
            Open short
          </ButtonLink>
        </header>
        <ul className={css['texts']}>
          {posts.map((post) => (
            <li key={post.id} className={css['text']}>
              <h3>
                {decides && (
                  <input
                    type="checkbox"
                    checked={chosen.has(post.id)}
                    aria-label={`Select ${postName(post)} on ${platformName(post.platform)}`}
                    onChange={(event) => {
                      onChoose([post.id], event.target.checked);
                    }}
                  />
                )}
                <PlatformIcon platform={post.platform} />
                <bdi>{post.account_name ?? platformName(post.platform)}</bdi>
              </h3>
              <p className={css['muted']}>
                {post.scheduled_at ? (
                  <>
                    Scheduled for <time dateTime={post.scheduled_at}>{dateTime(post.scheduled_at, zone)}</time>
                  </>
                ) : (
                  'Published on approval'
                )}
              </p>
              {post.posting_mode === 'draft' && <Badge tone="neutral">Draft on the platform</Badge>}
              <ApprovalNote post={post} />
              {post.title && (
                <p dir="auto">
                  <strong>{post.title}</strong>
                </p>
              )}
              <p className={css['caption']} dir="auto">
                {post.caption ?? 'No caption.'}
              </p>
              <Review post={post} short={short.data} played={first.data} onReview={onReview} />
              <div>
                <ButtonLink to={`/posts/${String(post.id)}`} small look="quiet" icon="edit">
                  Details and edit
                </ButtonLink>
              </div>
            </li>
          ))}
        </ul>
        <div className={css['actions']}>
          <Button
            look="primary"
            icon="approve"
            disabled={!approves}
            onClick={() => {
              onDecide('approve');
            }}
          >
            Approve
          </Button>
          <Button
            disabled={!decides}
            onClick={() => {
              onDecide('return');
            }}
          >
            Return
          </Button>
        </div>
      </div>
    </li>
  );
}
