// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { platformName, time } from '../../lib/format';
import { declared, postName, postState, postTime } from '../../lib/posts';
import { useWorkspace } from '../../shell/workspace';
import { classes } from '../../ui/classes';
import { Icon, PlatformIcon } from '../../ui/Icon';
import css from './calendar.module.css';
import type { Drag } from './drag';
import { fixedReason, movable, type Moving } from './move';

interface ChipProps {
  readonly post: Post;
  readonly zone: string;
  /** Whether the chip is in the tab order. In the month, the cell around it is. */
  readonly reachable: boolean;
  readonly drag: Drag;
  readonly moving: Moving | null;
  readonly onOpen: (id: number) => void;
  readonly onMove: (post: Post) => void;
}

/** Chip is a post in the month or week. It is dragged to another day, or picked up with the key M. */
export function Chip({ post, zone, reachable, drag, moving, onOpen, onMove }: ChipProps) {
  const { can } = useWorkspace();
  const state = postState(post);
  const name = postName(post);
  const free = movable(post, can('posts:write'));
  const fixed = declared(post);
  return (
    <button
      type="button"
      className={classes(
        css['chip'],
        css[state.tone],
        post.status === 'cancelled' && css['cancelled'],
        free && css['movable'],
        moving?.post.id === post.id && css['lifted'],
      )}
      tabIndex={reachable ? 0 : -1}
      title={`${name} (${state.text})${free ? '' : `. ${fixedReason(post, can('posts:write'))}`}`}
      aria-keyshortcuts={free && reachable ? 'M' : undefined}
      onPointerDown={(event) => {
        if (free) {
          drag.begin(post, event);
        }
      }}
      onKeyDown={(event) => {
        if (free && event.key.toLowerCase() === 'm' && !event.ctrlKey && !event.metaKey && !event.altKey) {
          event.preventDefault();
          event.stopPropagation();
          onMove(post);
        }
      }}
      onClick={(event) => {
        event.stopPropagation();
        if (!drag.ended()) {
          onOpen(post.id);
        }
      }}
    >
      {fixed ? <Icon name="terminal" /> : <PlatformIcon platform={post.platform} />}
      <span className={css['chipTime']}>{time(postTime(post), zone)}</span>
      <span className={css['chipName']} dir="auto">
        {name}
      </span>
      <span className={css['unseen']}>
        , {platformName(post.platform)}, {state.text}
        {fixed && ', managed by a manifest'}
      </span>
    </button>
  );
}
