// SPDX-License-Identifier: Apache-2.0

import { useId } from 'react';

import { useWorkspace } from '../../shell/workspace';
import { Button, IconButton } from '../../ui/Button';
import { Segmented, SelectField, TextField } from '../../ui/Field';
import { AreaField } from '../../ui/MoreFields';
import { Panel } from '../../ui/Panel';
import css from './automations.module.css';
import { cronOf, dayName, week, weeklyOf } from './cron';
import { linesOf, type Draft } from './draft';
import type { Form } from './fields';

/** ScheduleFields chooses the times at which posts go out. */
export function ScheduleFields({ draft, change, text, problem }: Form) {
  const { zone } = useWorkspace();
  const wrong = problem('schedules');
  const zones = [...new Set(['UTC', ...(draft.zone ? [draft.zone] : []), ...Intl.supportedValuesOf('timeZone')])];
  return (
    <Panel title="Schedule">
      <div className={css['form']}>
        <Segmented
          label="Kind of schedule"
          value={draft.cron === null ? 'weekly' : 'cron'}
          choices={[
            { value: 'weekly', label: 'Days and times' },
            { value: 'cron', label: 'Cron' },
          ]}
          onChange={(kind) => {
            change(kind === 'cron' ? toCron(draft) : toWeekly(draft));
          }}
        />
        {draft.cron === null ? (
          <>
            <Days draft={draft} change={change} />
            <Times draft={draft} change={change} />
            {wrong && (
              <p className={css['problem']} role="alert">
                {wrong}
              </p>
            )}
          </>
        ) : (
          <AreaField
            label="Cron expressions"
            hint="One a line: minute, hour, day of month, month, day of week. 0 9 * * 1-5 is 09:00 on weekdays."
            rows={2}
            dir="ltr"
            spellCheck={false}
            value={draft.cron}
            {...(wrong ? { problem: wrong } : {})}
            onChange={(event) => {
              change({ cron: event.target.value });
            }}
          />
        )}
        <SelectField label="Time zone" {...text('zone', 'time_zone')}>
          <option value="">That of the brand ({zone.replaceAll('_', ' ')})</option>
          {zones.map((name) => (
            <option key={name} value={name}>
              {name.replaceAll('_', ' ')}
            </option>
          ))}
        </SelectField>
      </div>
    </Panel>
  );
}

function toCron(draft: Draft): Partial<Draft> {
  return { cron: cronOf(draft.weekly).join('\n') };
}

/** toWeekly keeps the days and times of expressions that are a weekly schedule. */
function toWeekly(draft: Draft): Partial<Draft> {
  return { cron: null, weekly: weeklyOf(linesOf(draft.cron ?? '')) ?? draft.weekly };
}

function Days({ draft, change }: Pick<Form, 'draft' | 'change'>) {
  const { days, times } = draft.weekly;
  return (
    <fieldset className={css['group']}>
      <legend>Days</legend>
      <div className={css['days']}>
        {week.map((day) => (
          <label key={day}>
            <input
              type="checkbox"
              aria-label={dayName(day)}
              checked={days.includes(day)}
              onChange={(event) => {
                const others = days.filter((d) => d !== day);
                change({ weekly: { days: event.target.checked ? [...others, day] : others, times } });
              }}
            />
            <span aria-hidden="true">{dayName(day).slice(0, 3)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

// The API takes at most 20 expressions, and times of different minutes need one each.
const maxTimes = 20;

function Times({ draft, change }: Pick<Form, 'draft' | 'change'>) {
  const id = useId();
  const { days, times } = draft.weekly;
  const set = (next: readonly string[]) => {
    change({ weekly: { days, times: next } });
  };
  return (
    <fieldset className={css['group']}>
      <legend>Times</legend>
      <div className={css['times']}>
        {times.map((time, i) => (
          <div key={`${id}-${String(i)}`} className={css['time']}>
            <TextField
              label={`Time ${String(i + 1)}`}
              type="time"
              required
              value={time}
              onChange={(event) => {
                set(times.map((before, at) => (at === i ? event.target.value : before)));
              }}
            />
            {times.length > 1 && (
              <IconButton
                icon="close"
                label={`Remove time ${String(i + 1)}`}
                onClick={() => {
                  set(times.filter((_, at) => at !== i));
                }}
              />
            )}
          </div>
        ))}
        <Button
          small
          icon="add"
          disabled={times.length >= maxTimes}
          onClick={() => {
            set([...times, nextTime(times.at(-1))]);
          }}
        >
          Add a time
        </Button>
      </div>
    </fieldset>
  );
}

/** nextTime proposes a time that is four hours after the last one. */
function nextTime(last: string | undefined): string {
  const [hour, minute = '00'] = (last ?? '').split(':');
  return `${String((Number(hour) + 4) % 24 || 0).padStart(2, '0')}:${minute}`;
}
