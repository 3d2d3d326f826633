// SPDX-License-Identifier: Apache-2.0

import { classes } from './classes';
import { Frame, useDescription, type Bare, type Described } from './Field';
import css from './field.module.css';

interface Counted {
  readonly used: number;
  readonly max: number;
  readonly unit?: string;
}

type AreaProps = Described & { readonly counter?: Counted } & Bare<'textarea'>;

export function AreaField({ label, hint, problem, counter, rows = 3, ...rest }: AreaProps) {
  const { id, control } = useDescription(hint, problem);
  return (
    <Frame
      id={id}
      label={label}
      hint={hint}
      {...(problem ? { problem } : {})}
      aside={counter && <Counter {...counter} />}
    >
      <textarea
        dir="auto"
        {...rest}
        {...control}
        rows={rows}
        className={classes(css['control'], css['area'])}
        style={{ minBlockSize: `calc(${String(rows)}lh + 18px)` }}
      />
    </Frame>
  );
}

/** Counter shows how much of a limit a text uses. It announces only that the limit is exceeded. */
export function Counter({ used, max, unit = 'characters' }: Counted) {
  const over = used > max;
  return (
    <>
      <span className={classes(css['counter'], over && css['over'])} aria-hidden="true">
        {used} / {max} {unit === 'characters' ? '' : unit}
      </span>
      <span className={css['hidden']} role="status">
        {over ? `${String(used - max)} ${unit} too long` : ''}
      </span>
    </>
  );
}

export function CheckField({ label, hint, ...rest }: Described & Bare<'input'>) {
  const { id, control } = useDescription(hint, undefined);
  return (
    <div className={css['check']}>
      <input {...rest} {...control} type="checkbox" />
      <div>
        <label htmlFor={id}>{label}</label>
        {hint && (
          <p id={`${id}-hint`} className={css['hint']}>
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
