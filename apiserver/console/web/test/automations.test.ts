// SPDX-License-Identifier: Apache-2.0

import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import type { Automation } from '../src/api/schema.gen';
import { cronOf, scheduleWords, weeklyOf } from '../src/screens/automations/cron';
import { bodyOf, changesOf, draftOf, emptyDraft, missing, previewOf } from '../src/screens/automations/draft';
import { fieldOf } from '../src/screens/automations/fields';
import { automationState, observationsOf } from '../src/screens/automations/states';

test('days and times become one cron expression for each minute of the hour', () => {
  deepEqual(cronOf({ days: [1, 2, 3, 4, 5], times: ['09:00'] }), ['0 9 * * 1-5']);
  deepEqual(cronOf({ days: [0, 1, 2, 3, 4, 5, 6], times: ['18:00', '07:00'] }), ['0 7,18 * * *']);
  deepEqual(cronOf({ days: [6, 0], times: ['18:30', '09:00', '09:30'] }), ['0 9 * * 0,6', '30 9,18 * * 0,6']);
  deepEqual(cronOf({ days: [5, 1, 3, 2], times: ['00:05', '00:05'] }), ['5 0 * * 1-3,5']);
});

test('an incomplete schedule has no cron expression', () => {
  deepEqual(cronOf({ days: [], times: ['09:00'] }), []);
  deepEqual(cronOf({ days: [1], times: [''] }), []);
});

test('cron expressions of days and times are read', () => {
  deepEqual(weeklyOf(['0 9 * * 1-5']), { days: [1, 2, 3, 4, 5], times: ['09:00'] });
  deepEqual(weeklyOf(['0 9 * * MON-fri', '30 18 * * 1,2,3-5']), { days: [1, 2, 3, 4, 5], times: ['09:00', '18:30'] });
  deepEqual(weeklyOf([' 5,35  0  * *  * ']), { days: [0, 1, 2, 3, 4, 5, 6], times: ['00:05', '00:35'] });
  deepEqual(weeklyOf(['0 9 * * 5-7']), { days: [0, 5, 6], times: ['09:00'] });
});

test('other cron expressions are no days and times', () => {
  for (const schedule of [
    '0 9 1 * *',
    '0 9 * 1 *',
    '0 * * * *',
    '* 9 * * *',
    '*/5 9 * * *',
    '0 9 * * 1-5/2',
    '0 9 * * ?',
    '0 9 * *',
    '0 9 * * * *',
    '0 24 * * *',
    '60 9 * * *',
    '0 9 * * 5-1',
    '0 9 * * 8',
    '0 , * * 1',
    '@daily',
    '',
  ]) {
    equal(weeklyOf([schedule]), null, schedule);
  }
  equal(weeklyOf(['0 9 * * 1', '0 9 * * 2']), null);
  equal(weeklyOf([]), null);
});

test('a weekly schedule survives both conversions', () => {
  for (let bits = 1; bits < 128; bits++) {
    const weekly = {
      days: [0, 1, 2, 3, 4, 5, 6].filter((day) => (bits & (1 << day)) !== 0),
      times: ['00:00', '09:00', '09:15', '23:59'],
    };
    deepEqual(weeklyOf(cronOf(weekly)), weekly);
  }
});

test('a schedule has words', () => {
  equal(scheduleWords(['0 9 * * 1-5']), 'Monday to Friday at 09:00');
  equal(scheduleWords(['0 9,18 * * *']), 'Every day at 09:00 and 18:00');
  equal(scheduleWords(['0 9 * * 0,6']), 'Saturday and Sunday at 09:00');
  equal(scheduleWords(['0 9 * * 1,3,5']), 'Monday, Wednesday and Friday at 09:00');
  equal(scheduleWords(['0 9 * * 5-7']), 'Friday to Sunday at 09:00');
  equal(scheduleWords(['0 9 1 * *', '0 9 15 * *']), '0 9 1 * *; 0 9 15 * *');
});

const stored = {
  id: 5,
  name: 'Tips',
  paused: false,
  schedules: ['0 9 * * 1-5'],
  time_zone: 'Europe/Paris',
  lead_time_seconds: 5400,
  starting_deadline_seconds: 90,
  catch_up: 'skip',
  concurrency_policy: 'forbid',
  source: { type: 'prompts', prompts: ['One', 'Two\nlines'], order: 'shuffled', on_exhausted: 'stop' },
  template: { context: '{{item.title}}', slide_count: 4, title: '' },
  publish: { social_data_ids: [7], posting_mode: 'direct', caption: 'Of a manifest' },
  approval: 'inherit',
  on_approval_timeout: 'skip',
  deduplication: { by: 'item', window_days: 90 },
  stop: { after_failures: 3, at: '2026-12-01T08:00:00Z' },
  ready: true,
  status_message: '',
  conditions: [],
  next_times: [],
  last_scheduled_at: null,
  last_successful_at: null,
  active_runs: [],
  runs: 0,
  created_at: '2026-11-26T12:00:00Z',
} as unknown as Automation;

const change = (part: Partial<typeof emptyDraft>) => {
  const before = draftOf(stored, 'UTC');
  return changesOf({ ...bodyOf(before, 'UTC') }, { ...bodyOf({ ...before, ...part }, 'UTC') });
};

test('an automation that is not edited has no changes', () => {
  deepEqual(change({}), {});
  equal(draftOf(stored, 'UTC').stopAt, '2026-12-01T09:00');
});

test('only what was edited is changed', () => {
  deepEqual(change({ name: 'Better tips' }), { name: 'Better tips' });
  deepEqual(change({ mode: 'draft' }), { publish: { posting_mode: 'draft' } });
  deepEqual(change({ lead: '60' }), { lead_time_seconds: 3600 });
  deepEqual(change({ slides: '0' }), { template: { slide_count: null } });
  deepEqual(change({ stopFailures: '', stopAt: '' }), { stop: null });
  deepEqual(change({ to: 'platforms', platforms: ['tiktok'] }), {
    publish: { social_data_ids: null, platforms: ['tiktok'] },
  });
});

test('another source clears the members of the old one, and the template that it does not have', () => {
  deepEqual(change({ type: 'queue', labels: 'series = tips\n\nday=1' }), {
    source: { type: 'queue', prompts: null, order: null, on_exhausted: null, labels: { series: 'tips', day: '1' } },
    template: null,
  });
});

test('a template for videos stays as it is', () => {
  const video = { ...stored, template: undefined } as unknown as Automation;
  const draft = draftOf(video, 'UTC');
  equal(draft.video, true);
  equal(bodyOf(draft, 'UTC').template, undefined);
});

test('the form names what is missing', () => {
  const draft = { ...emptyDraft, name: 'Tips', prompts: 'One', accounts: [1] };
  equal(missing(draft), '');
  equal(missing({ ...draft, name: ' ' }), 'Enter a name.');
  equal(missing({ ...draft, weekly: { days: [], times: ['09:00'] } }), 'Choose at least one day and one time.');
  equal(missing({ ...draft, cron: '\n' }), 'Enter a cron expression.');
  equal(missing({ ...draft, prompts: '\n \n' }), 'Enter at least one prompt.');
  equal(missing({ ...draft, context: ' ' }), 'Enter what a short is about.');
  equal(missing({ ...draft, accounts: [] }), 'Choose at least one account.');
  equal(missing({ ...draft, type: 'evergreen', context: '' }), '');
});

test('the preview does not need what is entered later', () => {
  const body = previewOf(emptyDraft, 'UTC');
  deepEqual(body?.source, { type: 'prompts', prompts: ['-'] });
  deepEqual(body?.publish, { platforms: ['tiktok'] });
  equal(previewOf({ ...emptyDraft, cron: '' }, 'UTC'), null);
  equal(previewOf({ ...emptyDraft, type: 'evergreen' }, 'UTC')?.template, undefined);
});

test('an error of the API belongs to a field of the form', () => {
  const of = (field: string, message = '') => fieldOf({ field, message });
  equal(of('source.prompts[3]'), 'source.prompts');
  equal(of('publish.social_data_ids[0]'), 'publish');
  equal(of('source.feed', 'term 1 of exclude is not valid: it is empty'), 'source.exclude');
  equal(of('source.feed', 'term 1 of include is not valid: it is empty'), 'source.include');
  equal(of('template.context'), 'template.context');
  equal(of('source'), null);
  equal(of(''), null);
});

test('the state of an automation has words', () => {
  const condition = { type: 'within_plan', status: false, reason: 'plan_limit', message: 'The plan allows 1' };
  const words = (paused: boolean, ready: boolean, conditions = [condition]) =>
    automationState({ paused, ready, conditions }).text;
  equal(words(true, false), 'Paused');
  equal(words(false, true), 'Running');
  equal(words(false, false), 'Needs attention');
  equal(words(false, false, []), 'Being set up');
  deepEqual(observationsOf([condition, { ...condition, type: 'stalled' }]), [
    { name: 'Plan', tone: 'warn', text: 'The plan allows 1' },
  ]);
  deepEqual(
    observationsOf([{ ...condition, type: 'failing' }, { ...condition, type: 'awaiting_approval', status: true }]).map(
      (one) => one.tone,
    ),
    ['good', 'warn'],
  );
});
