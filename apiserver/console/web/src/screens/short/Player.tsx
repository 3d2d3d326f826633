// SPDX-License-Identifier: Apache-2.0

import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';

import { shortKey } from '../../api/queries';
import type { ShortDetail } from '../../api/schema.gen';
import { forget, steady } from '../../lib/urls';
import { allowed, Picture, sameOrigin } from '../../ui/Picture';
import css from './short.module.css';

/** Film is a video with its picture and its captions. */
export interface Film extends Pick<ShortDetail, 'id' | 'title' | 'aspect_ratio' | 'video_url' | 'thumbnail_url'> {
  readonly type_data: { readonly captions_url: string | null; readonly language: string };
}

interface PlayerProps {
  readonly short: Film;
  /** source is the key of the query that signs the URL of the video. */
  readonly source?: readonly unknown[];
}

/** Player plays the video, or shows the first picture while there is none. */
export function Player({ short, source = shortKey(short.id) }: PlayerProps) {
  const ratio = short.aspect_ratio.replace(':', ' / ');
  const captions = short.type_data.captions_url;
  const client = useQueryClient();
  const repeated = useRef(false);
  if (!short.video_url || !allowed(short.video_url)) {
    return <Picture url={short.thumbnail_url} alt={short.title ?? ''} fallback="video" ratio={ratio} />;
  }
  const url = steady(short.video_url);
  return (
    <video
      className={css['player']}
      style={{ aspectRatio: ratio }}
      src={url}
      onLoadedData={() => {
        repeated.current = false;
      }}
      onError={() => {
        // The signed URL may have expired. The source is read again once, which signs another one.
        if (!repeated.current) {
          repeated.current = true;
          forget(url);
          void client.invalidateQueries({ queryKey: source });
        }
      }}
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
