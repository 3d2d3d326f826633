// SPDX-License-Identifier: Apache-2.0

import type { PostFilter } from '../../api/queries';
import type { Post } from '../../api/schema.gen';
import { plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { ErrorNote } from '../../ui/Feedback';
import { PostList } from './PostList';
import { useRestOfDay } from './posts';
import { inOrder } from './reading';

interface DayPostsProps {
  readonly day: string;
  readonly posts: readonly Post[];
  /** The number of posts that were not read. */
  readonly hidden: number;
  readonly filter: PostFilter;
  readonly onMove: (post: Post) => void;
}

/** DayPosts lists the posts of a day. The user can load those that the calendar did not read. */
export function DayPosts({ day, posts, hidden, filter, onMove }: DayPostsProps) {
  const { brand, zone } = useWorkspace();
  const rest = useRestOfDay(brand.id, filter, day, zone);
  const all = inOrder([...rest.parts.flatMap((part) => part.posts), ...posts]);
  const left = posts.length + hidden - all.length;
  return (
    <>
      <PostList posts={all} onMove={onMove} />
      {rest.error && <ErrorNote error={rest.error} onRetry={rest.more} />}
      {left > 0 && (
        <p>
          {plural(left, 'post')} not shown.{' '}
          <Button small busy={rest.busy} onClick={rest.more}>
            Load more
          </Button>
        </p>
      )}
    </>
  );
}
