// SPDX-License-Identifier: Apache-2.0

import type { Failure } from '../../api/errors';
import type { Draft } from './draft';

/** names are the fields of the API that the form shows, by their path. */
const names = [
  'name',
  'schedules',
  'time_zone',
  'source.prompts',
  'source.url',
  'source.include',
  'source.exclude',
  'source.max_age_hours',
  'source.labels',
  'source.cooldown_hours',
  'source.max_repeats',
  'template.context',
  'template.title',
  'template.caption',
  'publish',
  'lead_time_seconds',
  'starting_deadline_seconds',
  'budget.runs_per_month',
  'budget.credits_per_month',
  'deduplication.window_days',
  'stop.after_failures',
  'stop.at',
  'stop.after_runs',
] as const;

export type FieldName = (typeof names)[number];

/** advanced are the fields that are shown only with more options. */
export const advanced: readonly FieldName[] = names.slice(names.indexOf('lead_time_seconds'));

/** fieldOf returns the field of the form that a failure is about; null if it is about no field. */
export function fieldOf(failure: Pick<Failure, 'field' | 'message'>): FieldName | null {
  let path = failure.field;
  if (path === 'source.feed') {
    path = failure.message.includes('of exclude') ? 'source.exclude' : 'source.include';
  }
  return names.find((name) => path === name || path.startsWith(`${name}[`) || path.startsWith(`${name}.`)) ?? null;
}

/** TextName names the members of the form that are texts. */
export type TextName = {
  [Name in keyof Draft]: Draft[Name] extends string ? Name : never;
}[keyof Draft];

interface Control {
  readonly value: string;
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
  readonly problem?: string;
}

/** Form is what the parts of the form share. */
export interface Form {
  readonly draft: Draft;
  readonly change: (part: Partial<Draft>) => void;
  /** Connects a control with a text of the form, and with the problem of a field of the API. */
  readonly text: (name: TextName, field?: FieldName) => Control;
  readonly problem: (field: FieldName) => string | undefined;
}
