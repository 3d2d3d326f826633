// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';

import { postsOfPeriodQuery, type AnalyticsFilter } from '../../api/analytics';
import { plural } from '../../lib/format';
import { count } from '../../lib/numbers';
import { useWorkspace } from '../../shell/workspace';
import { ErrorNote } from '../../ui/Feedback';
import { Panel } from '../../ui/Panel';
import css from './analytics.module.css';
import { bestHours, minPosts } from './hours';

interface HoursTableProps {
  readonly account: number;
  readonly filter: Pick<AnalyticsFilter, 'period' | 'filter'>;
  /** posts is the number of posts of the period. */
  readonly posts: number;
}

/** HoursTable shows the hours with the most views per post. It shows nothing if there are too few posts. */
export function HoursTable({ account, filter, posts }: HoursTableProps) {
  const { brand, zone } = useWorkspace();
  const query = useQuery({ ...postsOfPeriodQuery(brand.id, account, filter), enabled: posts >= minPosts });
  const best = query.data ? bestHours(query.data, zone) : null;
  if (query.error && posts >= minPosts) {
    return (
      <Panel title="Best hours">
        <ErrorNote error={query.error} onRetry={() => void query.refetch()} />
      </Panel>
    );
  }
  return best && (
    <Panel title="Best hours">
      <p className={css['muted']}>
        Average views by hour of publication, from {plural(best.posts, 'post')} of the period. Times are in {zone}.
        Hours with one post are not listed.
      </p>
      <table className={`${css['table'] ?? ''} ${css['hours'] ?? ''}`}>
        <thead>
          <tr>
            <th scope="col">Hour</th>
            <th scope="col">Posts</th>
            <th scope="col">Views per post</th>
          </tr>
        </thead>
        <tbody>
          {best.hours.map(({ hour, posts: made, views }) => (
            <tr key={hour}>
              <th scope="row">
                {two(hour)}:00 to {two(hour)}:59
              </th>
              <td>{made}</td>
              <td>{count(Math.round(views))}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Panel>
  );
}

function two(hour: number): string {
  return String(hour).padStart(2, '0');
}
