// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { dateTime } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Fact } from '../../ui/Panel';

/** Times are the facts about when a post is due and when it was published. */
export function Times({ post }: { readonly post: Post }) {
  const { zone } = useWorkspace();
  return (
    <>
      {post.scheduled_at && (
        <Fact name="Scheduled">
          <time dateTime={post.scheduled_at}>{dateTime(post.scheduled_at, zone)}</time>
        </Fact>
      )}
      {post.published_at && (
        <Fact name="Published">
          <time dateTime={post.published_at}>{dateTime(post.published_at, zone)}</time>
        </Fact>
      )}
    </>
  );
}
