// SPDX-License-Identifier: Apache-2.0

import type { ReactNode } from 'react';

import css from './page.module.css';

export function Panel({ title, actions, children }: {
  readonly title?: string;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}) {
  return (
    <section className={css['panel']}>
      {title && (
        <header className={css['panelHead']}>
          <h2>{title}</h2>
          {actions && <div className={css['actions']}>{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** Facts is a list of names and values. */
export function Facts({ children }: { readonly children: ReactNode }) {
  return <dl className={css['facts']}>{children}</dl>;
}

export function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div className={css['fact']}>
      <dt>{name}</dt>
      <dd dir="auto">{children}</dd>
    </div>
  );
}
