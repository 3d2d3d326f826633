// SPDX-License-Identifier: Apache-2.0

import type { Tone } from '../lib/format';
import { classes } from './classes';
import css from './feedback.module.css';

interface MeterProps {
  /** A share from 0 to 1, or null if it is unknown. */
  readonly value: number | null;
  readonly label: string;
  readonly tone?: Tone;
}

/** Meter is a bar for progress or use. */
export function Meter({ value, label, tone = 'neutral' }: MeterProps) {
  const percent = value === null ? undefined : Math.round(Math.max(0, Math.min(1, value)) * 100);
  return (
    <div
      className={classes(css['meter'], css[`meter_${tone}`], percent === undefined && css['unknown'])}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
    >
      <span style={{ inlineSize: percent === undefined ? '30%' : `${String(percent)}%` }} />
    </div>
  );
}
