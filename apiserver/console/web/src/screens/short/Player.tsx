// SPDX-License-Identifier: Apache-2.0

import type { ShortDetail } from '../../api/schema.gen';
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
      key={short.video_url.split('?')[0]}
      className={css['player']}
      style={{ aspectRatio: ratio }}
      src={short.video_url}
      controls
      playsInline
      preload="metadata"
      aria-label={`Video: ${short.title ?? String(short.id)}`}
      {...(short.thumbnail_url ? { poster: short.thumbnail_url } : {})}
    >
      {captions && sameOrigin(captions) && (
        <track kind="captions" src={captions} srcLang={short.type_data.language || 'en'} label="Captions" default />
      )}
    </video>
  );
}
