// SPDX-License-Identifier: Apache-2.0

import { locale } from './format';

const whole = new Intl.NumberFormat(locale);
const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 1 });

export const notReported = 'not reported';

export function count(value: number | null | undefined): string {
  return value === null || value === undefined ? notReported : whole.format(value);
}

export function short(value: number | null | undefined): string {
  return value === null || value === undefined ? notReported : compact.format(value);
}

export function rate(value: number | null | undefined): string {
  return value === null || value === undefined ? notReported : percent.format(value);
}

export function change(value: number | null | undefined): string {
  return value === null || value === undefined ? notReported : (value > 0 ? '+' : '') + whole.format(value);
}

export function bytes(value: number | null): string {
  if (value === null) {
    return 'unknown size';
  }
  const mega = value / 1024 / 1024;
  return mega < 1 ? `${whole.format(Math.ceil(value / 1024))} kB` : `${whole.format(Math.round(mega * 10) / 10)} MB`;
}
