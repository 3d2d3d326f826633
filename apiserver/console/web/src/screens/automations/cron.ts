// SPDX-License-Identifier: Apache-2.0

/** Weekly is a schedule of times on days of the week. */
export interface Weekly {
  /** The days as cron numbers them, from 0 for Sunday to 6. */
  readonly days: readonly number[];
  /** The times of day in the form HH:MM. */
  readonly times: readonly string[];
}

/** week has the days in the order of the calendar, which starts on Monday. */
export const week: readonly number[] = [1, 2, 3, 4, 5, 6, 0];

const names = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

export function dayName(day: number): string {
  return names[day] ?? '';
}

/** cronOf returns the cron expressions of a weekly schedule, one for each minute of the hour. */
export function cronOf({ days, times }: Weekly): string[] {
  const hours = new Map<number, Set<number>>();
  for (const time of times) {
    const [hour, minute] = time.split(':').map(Number);
    if (hour === undefined || minute === undefined || Number.isNaN(hour + minute)) {
      continue;
    }
    hours.set(minute, (hours.get(minute) ?? new Set()).add(hour));
  }
  if (days.length === 0) {
    return [];
  }
  return [...hours]
    .sort(([a], [b]) => a - b)
    .map(([minute, at]) => `${String(minute)} ${sorted(at).join(',')} * * ${weekdays(days)}`);
}

function sorted(values: Iterable<number>): number[] {
  return [...new Set(values)].sort((a, b) => a - b);
}

/** weekdays returns the days as a field of a cron expression. Three or more successive days are a range. */
function weekdays(days: readonly number[]): string {
  const all = sorted(days);
  if (all.length === 7) {
    return '*';
  }
  const ranges: number[][] = [];
  for (const day of all) {
    const range = ranges.at(-1);
    if (range?.at(-1) === day - 1) {
      range.push(day);
    } else {
      ranges.push([day]);
    }
  }
  return ranges
    .map((range) => (range.length > 2 ? `${String(range[0])}-${String(range.at(-1))}` : range.join(',')))
    .join(',');
}

/**
 * weeklyOf returns cron expressions as a weekly schedule. It returns null for those that are none: with other fields,
 * with steps, or with different days.
 */
export function weeklyOf(schedules: readonly string[]): Weekly | null {
  const times = new Set<string>();
  let days = '';
  for (const schedule of schedules) {
    const [minute, hours, day, month, weekday, ...more] = schedule.trim().split(/\s+/);
    if (day !== '*' || month !== '*' || more.length > 0) {
      return null;
    }
    const on = values(weekday, 7, dayNumber);
    const minutes = values(minute, 59, Number);
    const at = values(hours, 23, Number);
    // An hour or a minute without a value is every one of them.
    if (!on || !minutes || !at || minute === '*' || hours === '*') {
      return null;
    }
    const found = sorted(on.map((d) => d % 7)).join();
    if (days !== '' && days !== found) {
      return null;
    }
    days = found;
    for (const h of at) {
      for (const m of minutes) {
        times.add(`${two(h)}:${two(m)}`);
      }
    }
  }
  return times.size === 0 ? null : { days: days.split(',').map(Number), times: [...times].sort() };
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function dayNumber(text: string): number {
  const named = names.findIndex((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase());
  return named >= 0 ? named : Number(text);
}

/** values returns the values of a field that is a list of values and ranges; null for another field. */
function values(field: string | undefined, max: number, valueOf: (text: string) => number): number[] | null {
  if (field === undefined) {
    return null;
  }
  if (field === '*') {
    return Array.from({ length: max === 7 ? 7 : max + 1 }, (_, i) => i);
  }
  const out: number[] = [];
  for (const part of field.split(',')) {
    const [first = '', last = first, ...more] = part.split('-');
    const [from, to] = [valueOf(first), valueOf(last)];
    const whole = first !== '' && last !== '' && Number.isInteger(from) && Number.isInteger(to);
    if (!whole || more.length > 0 || from < 0 || from > to || to > max) {
      return null;
    }
    for (let value = from; value <= to; value++) {
      out.push(value);
    }
  }
  return out;
}

const list = new Intl.ListFormat('en-GB');

/** scheduleWords returns cron expressions in words, or as they are if they are no weekly schedule. */
export function scheduleWords(schedules: readonly string[]): string {
  const weekly = weeklyOf(schedules);
  if (!weekly) {
    return schedules.join('; ');
  }
  return `${daysWords(weekly.days)} at ${list.format(weekly.times)}`;
}

function daysWords(days: readonly number[]): string {
  const on = week.filter((day) => days.includes(day));
  if (on.length === 7) {
    return 'Every day';
  }
  const first = week.indexOf(on[0] ?? 0);
  const successive = on.every((day, i) => week[first + i] === day);
  if (successive && on.length > 2) {
    return `${dayName(on[0] ?? 0)} to ${dayName(on.at(-1) ?? 0)}`;
  }
  return list.format(on.map(dayName));
}
