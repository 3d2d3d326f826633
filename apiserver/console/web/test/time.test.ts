// SPDX-License-Identifier: Apache-2.0

import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { fromInput, inputValue, timesOf } from '../src/lib/time';

const times = (value: string, zone: string) => timesOf(value, zone).map((time) => time.toISOString());
const first = (value: string, zone: string) => fromInput(value, zone)?.toISOString();

test('an ordinary time occurs once', () => {
  deepEqual(times('2026-07-01T12:00', 'Europe/Berlin'), ['2026-07-01T10:00:00.000Z']);
  deepEqual(times('2026-07-01T12:00', 'Asia/Kolkata'), ['2026-07-01T06:30:00.000Z']);
  equal(first('2026-07-01T12:00', 'Europe/Berlin'), '2026-07-01T10:00:00.000Z');
  equal(inputValue(new Date('2026-07-01T10:00:00Z'), 'Europe/Berlin'), '2026-07-01T12:00');
});

test('a time that is left out in spring does not occur', () => {
  deepEqual(times('2026-03-29T02:30', 'Europe/Berlin'), []);
  equal(first('2026-03-29T02:30', 'Europe/Berlin'), '2026-03-29T01:30:00.000Z');
  deepEqual(times('2026-03-29T03:00', 'Europe/Berlin'), ['2026-03-29T01:00:00.000Z']);
  deepEqual(times('2026-03-08T02:30', 'America/New_York'), []);
});

test('a time that is repeated in autumn occurs twice, and the first is used', () => {
  deepEqual(times('2026-10-25T02:30', 'Europe/Berlin'), ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']);
  equal(first('2026-10-25T02:30', 'Europe/Berlin'), '2026-10-25T00:30:00.000Z');
  equal(first('2026-11-01T01:30', 'America/New_York'), '2026-11-01T05:30:00.000Z');
  deepEqual(times('2026-10-25T03:00', 'Europe/Berlin'), ['2026-10-25T02:00:00.000Z']);
});

test('a change of half an hour is found', () => {
  equal(times('2026-04-05T01:45', 'Australia/Lord_Howe').length, 2);
  equal(times('2026-10-04T02:15', 'Australia/Lord_Howe').length, 0);
});

test('an incomplete input has no time', () => {
  deepEqual(times('', 'UTC'), []);
  equal(fromInput('', 'UTC'), null);
});
