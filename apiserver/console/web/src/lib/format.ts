// SPDX-License-Identifier: Apache-2.0

import type { ShortSummary } from '../api/schema.gen';

export const locale = 'en-GB';

const whole = new Intl.NumberFormat(locale);

/** plural returns the number with the noun in the right form. */
export function plural(value: number, noun: string, nouns = noun + 's'): string {
  return `${whole.format(value)} ${value === 1 ? noun : nouns}`;
}

/** duration returns minutes and seconds, such as 1:05. */
export function duration(seconds: number): string {
  const rounded = Math.round(seconds);
  return `${String(Math.floor(rounded / 60))}:${String(rounded % 60).padStart(2, '0')}`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

function format(zone: string, name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${zone} ${name}`;
  let found = formats.get(key);
  if (!found) {
    found = new Intl.DateTimeFormat(locale, { timeZone: zone, ...options });
    formats.set(key, found);
  }
  return found;
}

export function dateTime(iso: string, zone: string): string {
  return format(zone, 'dateTime', { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso));
}

export function date(iso: string, zone: string): string {
  return format(zone, 'date', { dateStyle: 'medium' }).format(new Date(iso));
}

export function time(iso: string, zone: string): string {
  return format(zone, 'time', { timeStyle: 'short' }).format(new Date(iso));
}

/** dayName returns the long name of a day in the form YYYY-MM-DD. */
export function dayName(day: string): string {
  return format('UTC', 'dayName', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' })
    .format(new Date(`${day}T12:00:00Z`));
}

export function shortDay(day: string): string {
  return format('UTC', 'shortDay', { weekday: 'short', day: 'numeric', month: 'short' })
    .format(new Date(`${day}T12:00:00Z`));
}

export function monthName(day: string): string {
  return format('UTC', 'monthName', { month: 'long', year: 'numeric' }).format(new Date(`${day}T12:00:00Z`));
}

export const platformNames: Readonly<Record<string, string>> = {
  tiktok: 'TikTok',
  youtube: 'YouTube',
  instagram: 'Instagram',
  linkedin: 'LinkedIn',
};

export function platformName(platform: string): string {
  return platformNames[platform] ?? platform;
}

/** sentence returns a value of the API, such as PUBLIC_TO_EVERYONE or photo_set, as words. */
export function sentence(value: string): string {
  const words = value.replace(/[_.]/g, ' ').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type Tone = 'neutral' | 'info' | 'good' | 'warn' | 'bad';

export interface State {
  readonly text: string;
  readonly tone: Tone;
}

export function shortState(item: Pick<ShortSummary, 'status' | 'render_status' | 'short_type'>): State {
  if (item.status === 'failed') {
    return { text: 'Failed', tone: 'bad' };
  }
  if (item.status === 'draft') {
    return { text: 'Draft', tone: 'neutral' };
  }
  if (item.status === 'processing') {
    return { text: item.short_type === 'UGC' ? 'Creating' : 'Creating slides', tone: 'info' };
  }
  const states: Readonly<Record<ShortSummary['render_status'], State>> = {
    none: { text: 'Slides ready', tone: 'neutral' },
    queued: { text: 'Render queued', tone: 'info' },
    processing: { text: 'Rendering', tone: 'info' },
    succeeded: { text: 'Video ready', tone: 'good' },
    failed: { text: 'Render failed', tone: 'bad' },
    stale: { text: 'Video out of date', tone: 'warn' },
  };
  return states[item.render_status];
}
