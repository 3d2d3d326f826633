// SPDX-License-Identifier: Apache-2.0

import { useId, type ComponentProps, type ReactNode } from 'react';

import { classes } from './classes';
import css from './field.module.css';

/** Described is what a field shows around its control. */
export interface Described {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly problem?: string;
}

/** Bare has the properties of a control that a field leaves to its user. */
export type Bare<Tag extends 'input' | 'select' | 'textarea'> = Omit<ComponentProps<Tag>, 'className' | 'style' | 'id'>;

/** useDescription connects a control with its hint and its problem. */
export function useDescription(hint: ReactNode, problem: string | undefined) {
  const id = useId();
  const described = [hint ? `${id}-hint` : '', problem ? `${id}-problem` : ''].filter(Boolean).join(' ');
  return {
    id,
    control: {
      id,
      ...(described ? { 'aria-describedby': described } : {}),
      ...(problem ? { 'aria-invalid': true as const } : {}),
    },
  };
}

/** Frame is the label, the hint and the problem around a control. */
export function Frame({ id, label, hint, problem, aside, children }: Described & {
  readonly id: string;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <div className={css['field']}>
      <div className={css['top']}>
        <label htmlFor={id}>{label}</label>
        {aside}
      </div>
      {children}
      {hint && (
        <p id={`${id}-hint`} className={css['hint']}>
          {hint}
        </p>
      )}
      {problem && (
        <p id={`${id}-problem`} className={css['problem']} dir="auto">
          {problem}
        </p>
      )}
    </div>
  );
}

export function TextField({ label, hint, problem, ...rest }: Described & Bare<'input'>) {
  const { id, control } = useDescription(hint, problem);
  return (
    <Frame id={id} label={label} hint={hint} {...(problem ? { problem } : {})}>
      <input dir="auto" {...rest} {...control} className={css['control']} />
    </Frame>
  );
}

export function SelectField({ label, hint, problem, children, ...rest }: Described & Bare<'select'>) {
  const { id, control } = useDescription(hint, problem);
  return (
    <Frame id={id} label={label} hint={hint} {...(problem ? { problem } : {})}>
      <select {...rest} {...control} className={classes(css['control'], css['select'])}>
        {children}
      </select>
    </Frame>
  );
}

interface Choice<Value extends string> {
  readonly value: Value;
  readonly label: ReactNode;
}

interface SegmentedProps<Value extends string> {
  readonly label: string;
  readonly value: Value;
  readonly choices: readonly Choice<Value>[];
  readonly onChange: (value: Value) => void;
}

/** reveal scrolls a row that is wider than the screen to the chosen button. */
function reveal(chosen: HTMLElement | null) {
  chosen?.scrollIntoView({ block: 'nearest', inline: 'center' });
}

/** Segmented is a group of radio buttons in a row. */
export function Segmented<Value extends string>({ label, value, choices, onChange }: SegmentedProps<Value>) {
  const name = useId();
  return (
    <fieldset className={css['segmented']}>
      <legend className={css['hidden']}>{label}</legend>
      {choices.map((choice) => (
        <label key={choice.value} ref={choice.value === value ? reveal : undefined}>
          <input
            type="radio"
            name={name}
            value={choice.value}
            checked={choice.value === value}
            onChange={() => {
              onChange(choice.value);
            }}
          />
          <span>{choice.label}</span>
        </label>
      ))}
    </fieldset>
  );
}
