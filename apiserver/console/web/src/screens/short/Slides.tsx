// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';

import type { Slide } from '../../api/schema.gen';
import { IconButton } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { Picture } from '../../ui/Picture';
import css from './short.module.css';

interface SlidesProps {
  readonly slides: readonly Slide[];
  readonly ratio: string;
}

/** Slides is the row of rendered slides. Each opens in large. */
export function Slides({ slides, ratio }: SlidesProps) {
  const [at, setAt] = useState<number | null>(null);
  const open = at === null ? undefined : slides[at];
  return (
    <>
      <ol className={css['slides']}>
        {slides.map((slide, i) => (
          <li key={slide.id}>
            <button
              type="button"
              className={css['slide']}
              aria-label={`Slide ${String(i + 1)}: ${textOf(slide)}`}
              onClick={() => {
                setAt(i);
              }}
            >
              <Picture url={slide.rendered_image_url} alt="" fallback="media" ratio={ratio} />
            </button>
          </li>
        ))}
      </ol>
      {open && at !== null && (
        <Dialog
          title={`Slide ${String(at + 1)} of ${String(slides.length)}`}
          onClose={() => {
            setAt(null);
          }}
        >
          <div className={css['large']}>
            <IconButton
              icon="back"
              label="Previous slide"
              disabled={at === 0}
              onClick={() => {
                setAt(at - 1);
              }}
            />
            <Picture
              url={open.rendered_image_url ?? open.image_url}
              alt={textOf(open)}
              fallback="media"
              ratio={ratio}
            />
            <IconButton
              icon="next"
              label="Next slide"
              disabled={at === slides.length - 1}
              onClick={() => {
                setAt(at + 1);
              }}
            />
          </div>
          <p dir="auto">{textOf(open)}</p>
          {open.attribution && (
            <p className={css['muted']}>
              Image: {[open.attribution.author, open.attribution.provider, open.attribution.license]
                .filter(Boolean)
                .join(', ')}
            </p>
          )}
        </Dialog>
      )}
    </>
  );
}

function textOf(slide: Slide): string {
  return slide.alt_text ?? slide.textOverlays.map((overlay) => overlay.text).join(' ');
}
