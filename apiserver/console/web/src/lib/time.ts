// SPDX-License-Identifier: Apache-2.0

const parts = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = parts.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    parts.set(zone, format);
  }
  return format;
}

/** local returns the time in the zone as YYYY-MM-DDTHH:MM:SS. */
function local(instant: Date, zone: string): string {
  const found: Partial<Record<Intl.DateTimeFormatPartTypes, string>> = {};
  for (const part of formatOf(zone).formatToParts(instant)) {
    found[part.type] = part.value;
  }
  const { year = '', month = '', day = '', hour = '', minute = '', second = '' } = found;
  return `${year}-${month}-${day}T${hour}:${minute}:${second}`;
}

/** dayOf returns the day of a time in the zone, as YYYY-MM-DD. */
export function dayOf(iso: string, zone: string): string {
  return local(new Date(iso), zone).slice(0, 10);
}

export function today(zone: string): string {
  return local(new Date(), zone).slice(0, 10);
}

/** inputValue returns the value of an input of type datetime-local. */
export function inputValue(instant: Date, zone: string): string {
  return local(instant, zone).slice(0, 16);
}

const dayLength = 24 * 60 * 60 * 1000;

/** offsetOf returns the difference between the time in the zone and UTC, in milliseconds. */
function offsetOf(instant: number, zone: string): number {
  return Date.parse(`${local(new Date(instant), zone)}Z`) - instant;
}

/**
 * timesOf returns the times of an input of type datetime-local in the zone, in order. There is none in the hour that is
 * left out when clocks are set forward, and there are two in the hour that is repeated when they are set back.
 */
export function timesOf(value: string, zone: string): readonly Date[] {
  const wanted = Date.parse(`${value}Z`);
  if (Number.isNaN(wanted)) {
    return [];
  }
  const offsets = new Set([offsetOf(wanted - dayLength, zone), offsetOf(wanted + dayLength, zone)]);
  return [...offsets]
    .map((offset) => wanted - offset)
    .filter((instant) => offsetOf(instant, zone) === wanted - instant)
    .sort((a, b) => a - b)
    .map((instant) => new Date(instant));
}

/**
 * fromInput returns the first time of an input of type datetime-local in the zone, or null if the input is incomplete.
 * A time that is left out when clocks are set forward is moved forward with them.
 */
export function fromInput(value: string, zone: string): Date | null {
  const wanted = Date.parse(`${value}Z`);
  if (Number.isNaN(wanted)) {
    return null;
  }
  return timesOf(value, zone)[0] ?? new Date(wanted - offsetOf(wanted - dayLength, zone));
}

/** onDay returns the time of another day with the same time of day in the zone. */
export function onDay(iso: string, day: string, zone: string): Date {
  return fromInput(`${day}T${local(new Date(iso), zone).slice(11)}`, zone) ?? new Date(iso);
}

/** utc returns a time as the API takes it. */
export function utc(at: Date): string {
  return at.toISOString().replace(/\.\d{3}Z$/, 'Z');
}

/** addDays returns a later or earlier day. */
export function addDays(day: string, days: number): string {
  const at = new Date(`${day}T12:00:00Z`);
  at.setUTCDate(at.getUTCDate() + days);
  return at.toISOString().slice(0, 10);
}

/** addMonths returns the same day of another month, or that month's last day. */
export function addMonths(day: string, months: number): string {
  const at = new Date(`${day.slice(0, 8)}01T12:00:00Z`);
  at.setUTCMonth(at.getUTCMonth() + months);
  const last = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 0, 12)).getUTCDate();
  at.setUTCDate(Math.min(Number(day.slice(8)), last));
  return at.toISOString().slice(0, 10);
}

/** weekStart returns the Monday of the day's week. */
export function weekStart(day: string): string {
  const weekday = (new Date(`${day}T12:00:00Z`).getUTCDay() + 6) % 7;
  return addDays(day, -weekday);
}

/** monthDays returns the days of a month's whole weeks. */
export function monthDays(day: string): string[] {
  const month = day.slice(0, 7);
  const days: string[] = [];
  let at = weekStart(`${month}-01`);
  while (at.slice(0, 7) <= month || days.length % 7 !== 0) {
    days.push(at);
    at = addDays(at, 1);
  }
  return days;
}

export function weekDays(day: string): string[] {
  const start = weekStart(day);
  return Array.from({ length: 7 }, (_, i) => addDays(start, i));
}

/** minutesFromNow returns the start of a minute that is at least the given number of minutes ahead. */
export function minutesFromNow(minutes: number): Date {
  const step = 5 * 60_000;
  return new Date(Math.ceil((Date.now() + minutes * 60_000) / step) * step);
}
