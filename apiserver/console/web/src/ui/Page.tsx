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

/** Toolbar holds the filters of a list. */
export function Toolbar({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <div className={css['toolbar']} role="group" aria-label={label}>
      {children}
    </div>
  );
}
