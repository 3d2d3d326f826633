// SPDX-License-Identifier: Apache-2.0

import type { ShortDetail } from '../../api/schema.gen';
import { steady } from '../../lib/urls';
import { allowed, Picture, sameOrigin } from '../../ui/Picture';
import css from './short.module.css';

/** Player plays the video, or shows the first picture while there is none. */
export function Player({ short }: { readonly short: ShortDetail }) {
  const ratio = short.aspect_ratio.replace(':', ' / ');
  const captions = short.type_data.captions_url;
  if (!short.video_url || !allowed(short.video_url)) {
    return <Picture url={short.thumbnail_url} alt={short.title ?? ''} fallback="video" ratio={ratio} />;
  }
  return (
    <video
      className={css['player']}
      style={{ aspectRatio: ratio }}
      src={steady(short.video_url)}
      controls
      playsInline
      preload="metadata"
      aria-label={`Video: ${short.title ?? String(short.id)}`}
      {...(short.thumbnail_url ? { poster: steady(short.thumbnail_url) } : {})}
    >
      {captions && sameOrigin(captions) && (
        <track
          kind="captions"
          src={steady(captions)}
          srcLang={short.type_data.language || 'en'}
          label="Captions"
          default
        />
      )}
    </video>
  );
}
