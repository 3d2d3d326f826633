// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';

import { Failure } from '../../api/errors';
import { postsQuery } from '../../api/queries';
import type { BatchResult, Post, PostResult, ShortDetail } from '../../api/schema.gen';
import { dateTime, platformName } from '../../lib/format';
import { postState } from '../../lib/posts';
import { useWorkspace } from '../../shell/workspace';
import { ButtonLink, Outside } from '../../ui/Button';
import { Badge, ErrorNote } from '../../ui/Feedback';
import { PlatformIcon } from '../../ui/Icon';
import { Page } from '../../ui/Page';
import { Panel } from '../../ui/Panel';
import css from './composer.module.css';

interface ResultsProps {
  readonly short: ShortDetail;
  readonly result: BatchResult;
}

const titles: Readonly<Record<BatchResult['overall_status'], string>> = {
  success: 'Accepted on all accounts',
  partial: 'Accepted on some accounts',
  failed: 'Not accepted',
};

/** Results lists the outcome of a submission for each account, and follows the posts until they are published. */
export function Results({ short, result }: ResultsProps) {
  const { brand, can } = useWorkspace();
  const posts = useQuery({
    ...postsQuery(brand.id, { short_id: short.id }, 1),
    enabled: can('posts:read'),
    refetchInterval: (query) => (result.results.some((one) => inDelivery(one, query.state.data?.data)) ? 2000 : false),
  });
  const published = result.results.every(
    (one) => posts.data?.data.find((post) => post.id === one.share_id)?.status === 'success',
  );
  return (
    <Page
      title={published ? 'Published' : titles[result.overall_status]}
      actions={
        <>
          <ButtonLink to={`/shorts/${String(short.id)}`}>Back to the short</ButtonLink>
          <ButtonLink to="/calendar" look="primary" icon="calendar">
            Open the calendar
          </ButtonLink>
        </>
      }
    >
      <Panel>
        <ul className={css['results']} role="status">
          {result.results.map((one) => (
            <Result
              key={`${one.platform}-${String(one.social_data_id)}`}
              result={one}
              post={posts.data?.data.find((post) => post.id === one.share_id)}
            />
          ))}
        </ul>
      </Panel>
    </Page>
  );
}

/** inDelivery reports whether the post of a result is being published, as far as the loaded posts show. */
function inDelivery(result: PostResult, posts: readonly Post[] = []): boolean {
  const now = posts.find((post) => post.id === result.share_id)?.status ?? result.status;
  return now === 'pending' || now === 'retrying';
}

interface ResultProps {
  readonly result: PostResult;
  readonly post: Post | undefined;
}

function Result({ result, post }: ResultProps) {
  const { zone } = useWorkspace();
  const state = postState(post ?? { status: result.status, delivery_state: null });
  const error = result.error ?? post?.error;
  return (
    <li className={css['result']}>
      <PlatformIcon platform={result.platform} />
      <span className={css['names']}>
        <span dir="auto">{result.account_name ?? platformName(result.platform)}</span>
        {result.scheduled_at && (
          <small>
            <time dateTime={result.scheduled_at}>{dateTime(result.scheduled_at, zone)}</time>
          </small>
        )}
      </span>
      <Badge tone={state.tone}>{state.text}</Badge>
      {result.share_id !== null && (
        <ButtonLink to={`/posts/${String(result.share_id)}`} small look="quiet" icon="activity">
          Details
        </ButtonLink>
      )}
      {post?.post_url && (
        <Outside href={post.post_url} small look="quiet" icon="external">
          View post
        </Outside>
      )}
      {error && (
        <div className={css['resultError']}>
          <ErrorNote error={new Failure(422, error.code, error.message, error.retryable, error.details)} />
        </div>
      )}
    </li>
  );
}
