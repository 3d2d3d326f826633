// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

import { shortDay } from '../../lib/format';
import { count, short } from '../../lib/numbers';
import css from './analytics.module.css';

const height = 220;

interface ChartProps {
  readonly name: string;
  readonly days: readonly string[];
  readonly values: readonly (number | null)[];
}

/** Chart is a line of values by day. Days without a value are gaps. Its colours come from the style sheet. */
export default function Chart({ name, days, values }: ChartProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const box = ref.current;
    if (!box) {
      return undefined;
    }
    const line = () => getComputedStyle(box).color;
    const text = () => getComputedStyle(box).caretColor;
    const rule = () => getComputedStyle(box).borderTopColor;
    const dayAt = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 10);
    const font = `12px ${getComputedStyle(box).fontFamily}`;
    const axis = { stroke: text, font, grid: { stroke: rule, width: 1 }, ticks: { show: false } };
    const plot = new UPlot(
      {
        width: box.clientWidth,
        height,
        legend: { show: true, live: true },
        cursor: { y: false, drag: { x: false, y: false } },
        axes: [
          { ...axis, grid: { show: false }, space: 80, values: (_, ticks) => ticks.map((t) => shortDay(dayAt(t))) },
          { ...axis, size: 56, values: (_, ticks) => ticks.map((t) => short(t)) },
        ],
        series: [
          { label: 'Day', value: (_, at: number | null) => (at === null ? '–' : shortDay(dayAt(at))) },
          {
            label: name,
            stroke: line,
            width: 2,
            spanGaps: false,
            points: { show: values.length <= 14 },
            value: (_plot, at: number | null, _series, index) => (index === null ? '–' : count(at)),
          },
        ],
      },
      [days.map((day) => Date.parse(`${day}T12:00:00Z`) / 1000), [...values]],
      box,
    );
    const sizes = new ResizeObserver(() => {
      plot.setSize({ width: box.clientWidth, height });
    });
    sizes.observe(box);
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const redraw = () => {
      plot.redraw();
    };
    scheme.addEventListener('change', redraw);
    return () => {
      scheme.removeEventListener('change', redraw);
      sizes.disconnect();
      plot.destroy();
    };
  }, [name, days, values]);
  const label = `${name} by day. The table below has the values.`;
  return <div ref={ref} className={css['plot']} role="img" aria-label={label} />;
}
