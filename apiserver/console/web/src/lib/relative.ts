// SPDX-License-Identifier: Apache-2.0

import { locale } from './format';

const words = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });

const steps: readonly { readonly unit: Intl.RelativeTimeFormatUnit; readonly seconds: number }[] = [
  { unit: 'year', seconds: 31_536_000 },
  { unit: 'month', seconds: 2_592_000 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
];

/** relative returns a time in words relative to another, such as "2 hours ago". */
export function relative(iso: string, now: number): string {
  const seconds = (Date.parse(iso) - now) / 1000;
  const step = steps.find((s) => Math.abs(seconds) >= s.seconds);
  return step ? words.format(Math.round(seconds / step.seconds), step.unit) : 'just now';
}
