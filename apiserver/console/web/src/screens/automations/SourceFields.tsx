// SPDX-License-Identifier: Apache-2.0

import type { ReactNode } from 'react';

import { Segmented, SelectField, TextField } from '../../ui/Field';
import { AreaField } from '../../ui/MoreFields';
import { Panel } from '../../ui/Panel';
import css from './automations.module.css';
import { linesOf } from './draft';
import type { Form } from './fields';

const maxPrompts = 500;

/** SourceFields chooses where the content comes from. */
export function SourceFields(form: Form) {
  const { draft, change } = form;
  const parts: Readonly<Record<typeof draft.type, ReactNode>> = {
    prompts: <Prompts {...form} />,
    feed: <Feed {...form} />,
    queue: <Queue {...form} />,
    evergreen: <Evergreen {...form} />,
  };
  return (
    <Panel title="Source">
      <div className={css['form']}>
        <Segmented
          label="Source"
          value={draft.type}
          choices={[
            { value: 'prompts', label: 'Prompts' },
            { value: 'feed', label: 'Feed' },
            { value: 'queue', label: 'Queue' },
            { value: 'evergreen', label: 'Evergreen' },
          ]}
          onChange={(type) => {
            change({ type });
          }}
        />
        {parts[draft.type]}
      </div>
    </Panel>
  );
}

function Prompts({ draft, text }: Form) {
  return (
    <>
      <p className={css['muted']}>Each run creates a short from the next prompt.</p>
      <AreaField
        label="Prompts"
        hint="One a line."
        rows={5}
        counter={{ used: linesOf(draft.prompts).length, max: maxPrompts, unit: 'prompts' }}
        {...text('prompts', 'source.prompts')}
      />
      <div className={css['two']}>
        <SelectField label="Order" {...text('promptOrder')}>
          <option value="sequential">As listed</option>
          <option value="shuffled">Random, each once per round</option>
        </SelectField>
        <SelectField label="After the last prompt" {...text('exhausted')}>
          <option value="repeat">Start again</option>
          <option value="stop">Stop</option>
        </SelectField>
      </div>
    </>
  );
}

function Feed({ text }: Form) {
  const terms = 'Words, phrases or /patterns/, one a line.';
  return (
    <>
      <p className={css['muted']}>Each run creates a short from the newest item that was not used yet.</p>
      <TextField
        label="URL of the feed"
        hint="RSS, Atom or JSON Feed."
        type="url"
        placeholder="https://"
        required
        maxLength={2000}
        {...text('url', 'source.url')}
      />
      <div className={css['two']}>
        <AreaField label="Only items with" hint={terms} rows={2} {...text('include', 'source.include')} />
        <AreaField label="No items with" hint={terms} rows={2} {...text('exclude', 'source.exclude')} />
      </div>
      <TextField
        label="Maximum age in hours"
        hint="Empty: any age."
        type="number"
        min={1}
        max={8784}
        {...text('maxAge', 'source.max_age_hours')}
      />
    </>
  );
}

function Labels({ text, hint }: Form & { readonly hint: string }) {
  return (
    <AreaField
      label="Labels"
      hint={`${hint} One a line, such as series=tips. Set them with kubectl label.`}
      rows={2}
      spellCheck={false}
      {...text('labels', 'source.labels')}
    />
  );
}

function Queue(form: Form) {
  return (
    <>
      <p className={css['muted']}>Each run publishes the oldest short with these labels that was not used yet.</p>
      <Labels {...form} hint="Shorts with all of these labels." />
    </>
  );
}

function Evergreen(form: Form) {
  const { text } = form;
  return (
    <>
      <p className={css['muted']}>Each run publishes a short again that was published before.</p>
      <div className={css['two']}>
        <SelectField label="Order" {...text('evergreenOrder')}>
          <option value="oldest">Longest ago first</option>
          <option value="views">Most views first</option>
        </SelectField>
        <TextField
          label="Hours between two publications of a short"
          hint="720 hours are 30 days."
          type="number"
          required
          min={1}
          max={87840}
          {...text('cooldown', 'source.cooldown_hours')}
        />
        <TextField
          label="Repetitions of a short"
          hint="Empty: no limit."
          type="number"
          min={1}
          max={1000}
          {...text('repeats', 'source.max_repeats')}
        />
      </div>
      <Labels {...form} hint="Only shorts with all of these labels. Empty: all published shorts." />
    </>
  );
}
