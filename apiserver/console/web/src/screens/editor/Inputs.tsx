// SPDX-License-Identifier: Apache-2.0

import { useId, useState } from 'react';

import { TextField } from '../../ui/Field';
import css from './editor.module.css';

interface NumberFieldProps {
  readonly label: string;
  readonly value: number;
  readonly min: number;
  readonly max: number;
  readonly step?: number;
  readonly disabled?: boolean;
  readonly onChange: (value: number) => void;
}

/** NumberField is a number. It keeps what is typed until the field is left. */
export function NumberField({ label, value, min, max, step = 1, disabled, onChange }: NumberFieldProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextField
      label={label}
      type="number"
      inputMode="decimal"
      min={min}
      max={max}
      step={step}
      disabled={disabled}
      value={typed ?? String(Math.round(value * 100) / 100)}
      onChange={(event) => {
        setTyped(event.target.value);
        const next = event.target.valueAsNumber;
        if (next >= min && next <= max) {
          onChange(next);
        }
      }}
      onBlur={() => {
        setTyped(null);
      }}
    />
  );
}

interface ColorFieldProps {
  readonly label: string;
  readonly value: string;
  readonly disabled?: boolean;
  readonly onChange: (value: string) => void;
}

const colorPattern = /^#([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i;

/** ColorField is a colour, by a picker or as text. The picker keeps the opacity. */
export function ColorField({ label, value, disabled, onChange }: ColorFieldProps) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const text = typed ?? value.toUpperCase();
  const valid = typed === null || colorPattern.test(typed);
  return (
    <div className={css['field']}>
      <label htmlFor={id}>{label}</label>
      <span className={css['color']}>
        <input
          type="color"
          aria-label={`${label}, picker`}
          disabled={disabled}
          value={solid(value)}
          onChange={(event) => {
            setTyped(null);
            onChange(event.target.value.toUpperCase() + value.slice(7));
          }}
        />
        <input
          id={id}
          type="text"
          spellCheck={false}
          maxLength={9}
          disabled={disabled}
          value={text}
          aria-invalid={valid ? undefined : true}
          onChange={(event) => {
            const next = event.target.value.trim();
            setTyped(next);
            if (colorPattern.test(next)) {
              onChange(next.toUpperCase());
            }
          }}
          onBlur={() => {
            setTyped(null);
          }}
        />
      </span>
    </div>
  );
}

/** solid returns a colour as #rrggbb. */
function solid(value: string): string {
  const digits = value.replace('#', '');
  const six = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits.slice(0, 6);
  return `#${six.padEnd(6, '0').toLowerCase()}`;
}

interface ShareFieldProps {
  readonly label: string;
  readonly value: number;
  readonly disabled?: boolean;
  readonly onChange: (value: number) => void;
}

/** ShareField is a share from 0 to 1, shown in percent. */
export function ShareField({ label, value, disabled, onChange }: ShareFieldProps) {
  const id = useId();
  const percent = Math.round(value * 100);
  return (
    <div className={css['field']}>
      <label htmlFor={id}>
        {label} <span className={css['muted']}>{percent} %</span>
      </label>
      <input
        id={id}
        type="range"
        min={0}
        max={100}
        value={percent}
        disabled={disabled}
        onChange={(event) => {
          onChange(event.target.valueAsNumber / 100);
        }}
      />
    </div>
  );
}
