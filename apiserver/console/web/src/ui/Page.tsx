// SPDX-License-Identifier: Apache-2.0

import { useEffect, type ReactNode } from 'react';

import css from './page.module.css';

interface PageProps {
  readonly title: string;
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Page is the frame of a screen: its title, what it is for, and its actions. */
export function Page({ title, lead, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Reelops`;
  }, [title]);
  return (
    <>
      <header className={css['head']}>
        <div className={css['titles']}>
          <h1 dir="auto">{title}</h1>
          {lead && <p className={css['lead']}>{lead}</p>}
        </div>
        {actions && <div className={css['actions']}>{actions}</div>}
      </header>
      {children}
    </>
  );
}

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

/** Toolbar holds the filters of a list. */
export function Toolbar({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={css['toolbar']} role="group" aria-label={label}>
      {children}
    </div>
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
