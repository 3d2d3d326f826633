// SPDX-License-Identifier: Apache-2.0

import { Link } from 'wouter';

import type { AnalyticsFilter } from '../../api/analytics';
import type { PostMetrics } from '../../api/schema.gen';
import { date } from '../../lib/format';
import { count, notReported, rate } from '../../lib/numbers';
import { useWorkspace } from '../../shell/workspace';
import { Picture } from '../../ui/Picture';
import css from './analytics.module.css';

type Column = NonNullable<AnalyticsFilter['sort']>;

export interface Sort {
  readonly column: Column;
  readonly dir: 'asc' | 'desc';
}

const columns: readonly { readonly column: Column; readonly name: string }[] = [
  { column: 'posted_at', name: 'Posted' },
  { column: 'view_count', name: 'Views' },
  { column: 'like_count', name: 'Likes' },
  { column: 'comment_count', name: 'Comments' },
  { column: 'share_count', name: 'Shares' },
  { column: 'favorite_count', name: 'Saves' },
];

interface PostTableProps {
  readonly posts: readonly PostMetrics[];
  readonly sort: Sort;
  readonly onSort: (sort: Sort) => void;
}

/** PostTable lists posts with their numbers. The headings sort it. */
export function PostTable({ posts, sort, onSort }: PostTableProps) {
  const { zone } = useWorkspace();
  if (posts.length === 0) {
    return <p className={css['muted']}>No posts in this period.</p>;
  }
  return (
    <div className={css['scroll']} role="region" aria-label="Posts" tabIndex={0}>
      <table className={css['table']}>
        <thead>
          <tr>
            <th scope="col">Post</th>
            {columns.map(({ column, name }) => {
              const active = sort.column === column;
              const dir = active && sort.dir === 'desc' ? 'asc' : 'desc';
              return (
                <th
                  key={column}
                  scope="col"
                  aria-sort={active ? (sort.dir === 'asc' ? 'ascending' : 'descending') : 'none'}
                >
                  <button
                    type="button"
                    className={css['sort']}
                    onClick={() => {
                      onSort({ column, dir });
                    }}
                  >
                    {name}
                    <span aria-hidden="true">{active ? (sort.dir === 'asc' ? ' ↑' : ' ↓') : ''}</span>
                  </button>
                </th>
              );
            })}
            <th scope="col">Engagement</th>
          </tr>
        </thead>
        <tbody>
          {posts.map((post) => (
            <tr key={post.platform_post_id}>
              <th scope="row">
                <span className={css['post']}>
                  <span className={css['thumb']}>
                    <Picture url={post.thumbnail_url} alt="" fallback="video" />
                  </span>
                  <Name post={post} />
                </span>
              </th>
              <td>
                <time dateTime={post.posted_at}>{date(post.posted_at, zone)}</time>
              </td>
              <Amount value={post.view_count} />
              <Amount value={post.like_count} />
              <Amount value={post.comment_count} />
              <Amount value={post.share_count} />
              <Amount value={post.favorite_count} />
              <td>{post.engagement_rate === null ? <Missing /> : rate(post.engagement_rate)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Name({ post }: { readonly post: PostMetrics }) {
  const name = post.title ?? post.caption ?? post.platform_post_id;
  if (post.short_id !== null) {
    return (
      <Link href={`/shorts/${String(post.short_id)}`} className={css['name']} dir="auto">
        {name}
      </Link>
    );
  }
  return post.post_url ? (
    <a href={post.post_url} target="_blank" rel="noreferrer" className={css['name']} dir="auto">
      {name}
    </a>
  ) : (
    <span className={css['name']} dir="auto">
      {name}
    </span>
  );
}

function Amount({ value }: { readonly value: number | null }) {
  return <td>{value === null ? <Missing /> : count(value)}</td>;
}

function Missing() {
  return <span className={css['missing']}>{notReported}</span>;
}
