// SPDX-License-Identifier: Apache-2.0

import type { ReactNode } from 'react';

import { useWorkspace } from '../../shell/workspace';
import { SelectField } from '../../ui/Field';

const day = 24 * 60 * 60 * 1000;

/** inDays returns the time after a number of days, in RFC 3339. */
export function inDays(days: number): string {
  return new Date(Date.now() + days * day).toISOString();
}

interface NumberFieldProps {
  readonly value: number;
  readonly onChange: (value: number) => void;
}

/** BrandField chooses a brand of the account by its id. */
export function BrandField({ value, onChange }: NumberFieldProps) {
  const { brands } = useWorkspace();
  return (
    <NumberField label="Brand" value={value} onChange={onChange}>
      {brands.map((b) => (
        <option key={b.id} value={b.id}>
          {b.name}
        </option>
      ))}
    </NumberField>
  );
}

/** NumberField chooses one of several numbers. */
export function NumberField({ label, value, onChange, children }: NumberFieldProps & {
  readonly label: string;
  readonly children: ReactNode;
}) {
  return (
    <SelectField
      label={label}
      value={value}
      onChange={(event) => {
        onChange(Number(event.target.value));
      }}
    >
      {children}
    </SelectField>
  );
}
