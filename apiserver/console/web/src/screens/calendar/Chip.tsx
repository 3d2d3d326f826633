// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { platformName, time } from '../../lib/format';
import { postState, postTime } from '../../lib/posts';
import { classes } from '../../ui/classes';
import { PlatformIcon } from '../../ui/Icon';
import css from './calendar.module.css';

interface ChipProps {
  readonly post: Post;
  readonly zone: string;
  /** Whether the chip is in the tab order. In the month, the cell around it is. */
  readonly reachable: boolean;
  readonly onOpen: (id: number) => void;
}

/** Chip is a post in the month or week. */
export function Chip({ post, zone, reachable, onOpen }: ChipProps) {
  const state = postState(post);
  const name = post.title ?? post.caption?.split('\n')[0] ?? `Post ${String(post.id)}`;
  return (
    <button
      type="button"
      className={classes(css['chip'], css[state.tone], post.status === 'cancelled' && css['cancelled'])}
      tabIndex={reachable ? 0 : -1}
      title={`${name} (${state.text})`}
      onClick={(event) => {
        event.stopPropagation();
        onOpen(post.id);
      }}
    >
      <PlatformIcon platform={post.platform} />
      <span className={css['chipTime']}>{time(postTime(post), zone)}</span>
      <span className={css['chipName']} dir="auto">
        {name}
      </span>
      <span className={css['unseen']}>
        , {platformName(post.platform)}, {state.text}
      </span>
    </button>
  );
}
