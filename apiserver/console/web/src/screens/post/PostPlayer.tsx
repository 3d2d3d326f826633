// SPDX-License-Identifier: Apache-2.0

import type { Post, ShortDetail } from '../../api/schema.gen';
import { platformName } from '../../lib/format';
import { Note } from '../../ui/Feedback';
import { Picture } from '../../ui/Picture';
import { Player } from '../short/Player';
import css from './post.module.css';

interface PostPlayerProps {
  /** post is the complete post; undefined until it is read. */
  readonly post: Post | undefined;
  /** short is the short as it is now. */
  readonly short: ShortDetail | undefined;
}

/** PostPlayer plays the video of a post, or shows its photos: the files that are published, not those of the short. */
export function PostPlayer({ post, short }: PostPlayerProps) {
  const media = post?.media;
  const ratio = short?.aspect_ratio ?? '9:16';
  if (!post || !media) {
    return <Picture url={null} alt="" fallback="video" ratio={ratio.replace(':', ' / ')} />;
  }
  if (media.kind === 'photo_set') {
    return (
      <ul className={css['photos']}>
        {media.image_urls.map((url, i) => (
          <li key={i}>
            <Picture url={url} alt={`Photo ${String(i + 1)}`} fallback="media" ratio={ratio.replace(':', ' / ')} />
          </li>
        ))}
      </ul>
    );
  }
  // The captions and the picture of the short belong to its newest revision.
  const same = short?.revision === post.revision ? short : undefined;
  return (
    <Player
      source={['post', post.id]}
      short={{
        id: post.id,
        title: post.title ?? `${platformName(post.platform)}, post ${String(post.id)}`,
        aspect_ratio: ratio,
        video_url: media.video_url,
        thumbnail_url: media.cover_url ?? same?.thumbnail_url ?? null,
        type_data: {
          captions_url: same?.type_data.captions_url ?? null,
          language: same?.type_data.language ?? '',
        },
      }}
    />
  );
}

/** RevisionNote reports that the short was changed after the post was accepted. */
export function RevisionNote({ post, short }: { readonly post: Post; readonly short: ShortDetail | undefined }) {
  if (!short || post.revision === null || short.revision <= post.revision) {
    return null;
  }
  return (
    <Note tone="warn">
      The short has a newer revision. The post has revision {post.revision}, the short has revision {short.revision}.
    </Note>
  );
}
