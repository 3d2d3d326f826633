// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';

import type { Post } from '../../api/schema.gen';
import { dateTime, platformName } from '../../lib/format';
import { declared, postName, postState, postTime } from '../../lib/posts';
import { useWorkspace } from '../../shell/workspace';
import { Badge } from '../../ui/Feedback';
import { PlatformIcon } from '../../ui/Icon';
import css from './post.module.css';
import { PostDialog } from './PostDialog';

interface PostListProps {
  readonly posts: readonly Post[];
  /** Picks up a post in the calendar. Other lists have no calendar to move it in. */
  readonly onMove?: (post: Post) => void;
}

/** PostList is a list of posts. Each opens its details. */
export function PostList({ posts, onMove }: PostListProps) {
  const { zone } = useWorkspace();
  const [open, setOpen] = useState<number | null>(null);
  const shown = posts.find((post) => post.id === open);
  return (
    <>
      <ul className={css['list']}>
        {posts.map((post) => {
          const state = postState(post);
          return (
            <li key={post.id}>
              <button
                type="button"
                className={css['row']}
                onClick={() => {
                  setOpen(post.id);
                }}
              >
                <PlatformIcon platform={post.platform} />
                <span className={css['what']}>
                  <span className={css['name']} dir="auto">
                    {postName(post)}
                  </span>
                  <span className={css['muted']}>
                    <bdi>{post.account_name ?? platformName(post.platform)}</bdi>
                    {' · '}
                    <time dateTime={postTime(post)}>{dateTime(postTime(post), zone)}</time>
                    {declared(post) && ' · from a manifest'}
                  </span>
                </span>
                <Badge tone={state.tone}>{state.text}</Badge>
              </button>
            </li>
          );
        })}
      </ul>
      {shown && (
        <PostDialog
          post={shown}
          {...(onMove ? { onMove } : {})}
          onClose={() => {
            setOpen(null);
          }}
        />
      )}
    </>
  );
}
