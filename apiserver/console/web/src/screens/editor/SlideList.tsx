// SPDX-License-Identifier: Apache-2.0

import type { Slide } from '../../api/schema.gen';
import { Button, IconButton } from '../../ui/Button';
import { classes } from '../../ui/classes';
import { Picture } from '../../ui/Picture';
import { Canvas } from './Canvas';
import css from './editor.module.css';
import type { Drawn } from './usePreview';

interface SlideListProps {
  readonly slides: readonly Slide[];
  readonly chosen: number;
  readonly changed: ReadonlySet<number>;
  readonly revision: number;
  readonly drawings: ReadonlyMap<number, Drawn>;
  readonly ratio: string;
  readonly min: number;
  readonly max: number;
  readonly busy: boolean;
  readonly onChoose: (id: number) => void;
  readonly onOrder: (order: readonly number[]) => void;
  readonly onCopy: (id: number) => void;
  readonly onAdd: () => void;
}

/** SlideList chooses a slide, and adds, copies, moves and removes slides. */
export function SlideList(props: SlideListProps) {
  const { slides, chosen, changed, revision, drawings, ratio, min, max, busy } = props;
  const { onChoose, onOrder, onCopy, onAdd } = props;
  const ids = slides.map((slide) => slide.id);
  const at = ids.indexOf(chosen);
  const move = (by: number) => {
    const next = ids.filter((id) => id !== chosen);
    next.splice(at + by, 0, chosen);
    onOrder(next);
  };
  return (
    <section className={css['side']} aria-label="Slides">
      <ol className={css['slides']}>
        {slides.map((slide, i) => {
          const drawing = drawings.get(slide.id);
          return (
            <li key={slide.id}>
              <button
                type="button"
                className={classes(css['slide'], slide.id === chosen && css['current'])}
                aria-current={slide.id === chosen ? 'true' : undefined}
                aria-label={`Slide ${String(i + 1)}${changed.has(slide.id) ? ', changed' : ''}`}
                onClick={() => {
                  onChoose(slide.id);
                }}
              >
                {drawing?.revision === revision ? (
                  <span className={css['thumb']} style={{ aspectRatio: ratio }}>
                    <Canvas image={drawing.image} small />
                  </span>
                ) : (
                  <Picture url={slide.rendered_image_url ?? slide.image_url} alt="" fallback="media" ratio={ratio} />
                )}
                <span className={css['number']} aria-hidden="true">
                  {i + 1}
                  {changed.has(slide.id) && ' •'}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
      <div className={css['slideTools']} role="group" aria-label={`Slide ${String(at + 1)}`}>
        <IconButton
          icon="earlier"
          label="Move slide earlier"
          disabled={at <= 0}
          onClick={() => {
            move(-1);
          }}
        />
        <IconButton
          icon="later"
          label="Move slide later"
          disabled={at === ids.length - 1}
          onClick={() => {
            move(1);
          }}
        />
        <IconButton
          icon="copy"
          label="Duplicate slide"
          title={slides.length >= max ? `A slideshow has at most ${String(max)} slides` : 'Duplicate slide'}
          disabled={slides.length >= max || busy}
          onClick={() => {
            onCopy(chosen);
          }}
        />
        <IconButton
          icon="trash"
          label="Remove slide"
          title={slides.length <= min ? `A slideshow has at least ${String(min)} slides` : 'Remove slide'}
          disabled={slides.length <= min}
          onClick={() => {
            onOrder(ids.filter((id) => id !== chosen));
          }}
        />
      </div>
      <Button small icon="add" busy={busy} disabled={slides.length >= max} onClick={onAdd}>
        Add slide
      </Button>
    </section>
  );
}
