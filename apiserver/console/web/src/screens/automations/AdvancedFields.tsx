// SPDX-License-Identifier: Apache-2.0

import { useState, type ReactNode } from 'react';

import { useWorkspace } from '../../shell/workspace';
import { SelectField, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Panel';
import css from './automations.module.css';
import { makesShorts } from './draft';
import { advanced, type Form } from './fields';

/** AdvancedFields are the options that most automations leave at their defaults. */
export function AdvancedFields({ draft, text, problem }: Form) {
  const { zone } = useWorkspace();
  const [open, setOpen] = useState(false);
  const wrong = advanced.some((field) => problem(field) !== undefined);
  return (
    <Panel>
      <details
        className={css['more']}
        open={open || wrong}
        onToggle={(event) => {
          setOpen(event.currentTarget.open);
        }}
      >
        <summary>More options</summary>
        <div className={css['form']}>
          <Group title="Times">
            <TextField
              label="Minutes before its time that a post is created"
              hint="Enough to write, to render and to approve it."
              type="number"
              required
              min={0}
              max={10080}
              step="any"
              {...text('lead', 'lead_time_seconds')}
            />
            <TextField
              label="Minutes that a run may start late"
              type="number"
              required
              min={1}
              max={360}
              step="any"
              {...text('deadline', 'starting_deadline_seconds')}
            />
            <SelectField label="Missed times, such as in an outage" {...text('catchUp')}>
              <option value="skip">Are left out</option>
              <option value="latest_once">The latest runs once, late</option>
            </SelectField>
            <SelectField label="While an earlier run is not ready" {...text('concurrency')}>
              <option value="forbid">Wait for it</option>
              <option value="allow">Run at the same time</option>
            </SelectField>
          </Group>
          <Group title="Budget of a month">
            <TextField
              label="Runs"
              hint="Empty: no limit."
              type="number"
              min={1}
              max={100000}
              {...text('runs', 'budget.runs_per_month')}
            />
            {makesShorts(draft.type) && (
              <TextField
                label="Credits for AI images"
                hint="Empty: no limit."
                type="number"
                min={1}
                {...text('credits', 'budget.credits_per_month')}
              />
            )}
          </Group>
          {draft.type === 'feed' && (
            <Group title="Items that count as used">
              <SelectField label="Recognized by" {...text('dedupBy')}>
                <option value="item">The item</option>
                <option value="text">The item, or similar words</option>
              </SelectField>
              <TextField
                label="For how many days"
                type="number"
                required
                min={1}
                max={365}
                {...text('dedupDays', 'deduplication.window_days')}
              />
            </Group>
          )}
          <Group title="Stop">
            <TextField
              label="After consecutive failures"
              hint="Empty: never."
              type="number"
              min={1}
              max={100}
              {...text('stopFailures', 'stop.after_failures')}
            />
            <TextField
              label="After runs"
              hint="Empty: never."
              type="number"
              min={1}
              {...text('stopRuns', 'stop.after_runs')}
            />
            <TextField
              label="At a time"
              hint={`${(draft.zone || zone).replaceAll('_', ' ')}. Empty: never.`}
              type="datetime-local"
              {...text('stopAt', 'stop.at')}
            />
          </Group>
        </div>
      </details>
    </Panel>
  );
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className={css['group']}>
      <legend>{title}</legend>
      <div className={css['two']}>{children}</div>
    </fieldset>
  );
}
