// SPDX-License-Identifier: Apache-2.0

import type { Drawing } from '../../api/preview';
import { sentence } from '../../lib/format';
import { Note } from '../../ui/Feedback';
import css from './editor.module.css';

const reasons: Readonly<Record<string, string>> = {
  font_unsupported: 'the font is not available',
  glyphs_missing: 'the font lacks characters of the text',
  size_out_of_range: 'the size is outside of the limits',
  text_does_not_fit: 'the text did not fit',
  outside_safe_zone: 'the apps draw their buttons there',
  overlap: 'texts would overlap',
  low_contrast: 'the text would be hard to read on the image',
  color_invalid: 'the color is not valid',
  too_many_overlays: 'the slide has too many texts',
  shorter_than_speech: 'the speech takes longer',
};

interface CorrectionsProps {
  readonly corrections: Drawing['normalizations'];
  /** The title of a list with the slide of each correction. */
  readonly title?: string;
  readonly slides?: readonly number[];
}

/** Corrections lists what the server changed to keep a slide readable, and why. */
export function Corrections({ corrections, title, slides }: CorrectionsProps) {
  if (corrections.length === 0) {
    return null;
  }
  return (
    <Note tone="info">
      <p>{title ?? 'The server corrects this slide:'}</p>
      <ul className={css['corrections']}>
        {corrections.map((c, i) => (
          <li key={i}>
            {slides && `Slide ${String(slides.indexOf(c.slide_id) + 1)}, `}
            {c.overlay_index >= 0 && `text ${String(c.overlay_index + 1)}, `}
            {sentence(c.field.replace(/[A-Z]/g, ' $&')).toLowerCase()}: <bdi>{rounded(c.from)}</bdi> is now{' '}
            <bdi>{rounded(c.to) || 'removed'}</bdi>, because {reasons[c.reason] ?? sentence(c.reason).toLowerCase()}.
          </li>
        ))}
      </ul>
    </Note>
  );
}

function rounded(value: string): string {
  return value.replace(/\d+\.\d{2,}/g, (number) => String(Math.round(Number(number) * 10) / 10));
}
