// SPDX-License-Identifier: Apache-2.0

import type { Post, PostSettings } from '../../api/schema.gen';
import { platformName, sentence } from '../../lib/format';
import { settingName, settingValue } from '../../lib/settings';
import { Fact, Facts } from '../../ui/Panel';
import css from './post.module.css';

/** PostContent shows what a post has besides its media and its text: the settings, the cover, the tags, the comment. */
export function PostContent({ post }: { readonly post: Post }) {
  const { settings, tags, first_comment: comment } = post;
  if (!settings) {
    return null;
  }
  const rows = rowsOf(settings, post.platform);
  return (
    <Facts>
      {rows.length === 0 && <Fact name="Settings">Defaults of {platformName(post.platform)}</Fact>}
      {rows.map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
      {post.cover && <Fact name="Cover">{coverName(post.cover)}</Fact>}
      {tags && tags.length > 0 && <Fact name="Tags">{tags.join(', ')}</Fact>}
      {comment && (
        <Fact name="First comment">
          <span className={css['caption']}>{comment.text ?? ''}</span> ({comment.state})
        </Fact>
      )}
    </Facts>
  );
}

/** rowsOf returns the names and values of the settings for a platform. */
export function rowsOf(settings: PostSettings, platform: Post['platform']): readonly (readonly [string, string])[] {
  // The cover is shown as the platform receives it.
  return Object.entries(settings[platform] ?? {})
    .filter(([name]) => name !== 'cover_offset_ms')
    .map(([name, value]) => [settingName(name), valueName(value)] as const);
}

function valueName(value: unknown): string {
  if (typeof value === 'boolean') {
    return value ? 'Yes' : 'No';
  }
  if (typeof value === 'object' && value !== null) {
    const chosen = Object.entries(value).filter(([, on]) => on === true);
    return chosen.length > 0 ? chosen.map(([name]) => sentence(name)).join(', ') : 'No';
  }
  return settingValue(String(value));
}

function coverName(cover: NonNullable<Post['cover']>): string {
  if (cover.slide !== null) {
    return `Slide ${String(cover.slide)}`;
  }
  return cover.offset_ms === null ? 'An image' : `The frame at ${String(cover.offset_ms / 1000)} s`;
}
