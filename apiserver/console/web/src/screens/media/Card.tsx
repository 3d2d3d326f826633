// SPDX-License-Identifier: Apache-2.0

import type { MediaItem } from '../../api/schema.gen';
import { duration } from '../../lib/format';
import { Badge } from '../../ui/Feedback';
import { Picture } from '../../ui/Picture';
import css from './media.module.css';

interface CardProps {
  readonly item: MediaItem;
  /** Whether the item is selected; undefined while nothing can be selected. */
  readonly chosen: boolean | undefined;
  readonly onChoose: (on: boolean) => void;
  readonly onOpen: () => void;
}

/** mediaName returns the title of an item, or what else names it. */
export function mediaName(item: MediaItem): string {
  return item.title ?? item.description ?? `Item ${String(item.id)}`;
}

/** Card is an item in a grid. */
export function Card({ item, chosen, onChoose, onOpen }: CardProps) {
  const title = mediaName(item);
  return (
    <li>
      <button type="button" className={css['card']} onClick={onOpen}>
        <span className={css['thumb']}>
          <Picture
            url={item.thumbnail_url}
            alt=""
            fallback={item.kind === 'video' ? 'video' : 'media'}
            ratio="4 / 5"
          />
          {item.status !== 'ready' && (
            <span className={css['badge']}>
              <Badge tone={item.status === 'failed' ? 'bad' : 'info'}>
                {item.status === 'failed' ? 'Failed' : 'Checking'}
              </Badge>
            </span>
          )}
          {item.duration_seconds !== null && <span className={css['length']}>{duration(item.duration_seconds)}</span>}
        </span>
        <span className={css['title']} dir="auto">
          {title}
        </span>
      </button>
      {chosen !== undefined && (
        <label className={css['choose']}>
          <input
            type="checkbox"
            checked={chosen}
            onChange={(event) => {
              onChoose(event.target.checked);
            }}
          />
          <span>
            Select<span className={css['unseen']}> {title}</span>
          </span>
        </label>
      )}
    </li>
  );
}
