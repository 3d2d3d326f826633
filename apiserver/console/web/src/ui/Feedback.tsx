// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { asFailure, noAnswer } from '../api/errors';
import { errorQuery } from '../api/queries';
import { Button } from './Button';
import { classes } from './classes';
import css from './feedback.module.css';
import { Icon, type IconName } from './Icon';
import type { Tone } from '../lib/format';

interface ErrorNoteProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
}

/** ErrorNote shows an error with the cause and the fix of the error catalog. */
export function ErrorNote({ error, onRetry }: ErrorNoteProps) {
  const failure = asFailure(error);
  const known = failure.code !== noAnswer && failure.status !== 401;
  const entry = useQuery({ ...errorQuery(failure.code), enabled: known });
  return (
    <div className={classes(css['note'], css['bad'])} role="alert">
      <Icon name="warning" />
      <div className={css['noteText']}>
        <p className={css['strong']} dir="auto">
          {failure.message}
        </p>
        {entry.data && (
          <>
            <p>
              <Prose text={entry.data.cause} />
            </p>
            <p>
              <Prose text={entry.data.fix} />
            </p>
          </>
        )}
        {failure.code === noAnswer && <p>Check the connection to the server, then try again.</p>}
        <p className={css['code']}>
          {known ? <code>{failure.code}</code> : null}
          {typeof failure.details['request_id'] === 'string' && <code>{failure.details['request_id']}</code>}
        </p>
      </div>
      {onRetry && (
        <Button small icon="refresh" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** Prose shows a text of the error catalog, in which names of fields are between backquotes. */
export function Prose({ text }: { readonly text: string }) {
  return text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part));
}

interface NoteProps {
  readonly tone?: Tone;
  readonly children: ReactNode;
}

const noteIcons: Readonly<Record<Tone, IconName>> = {
  neutral: 'info',
  info: 'info',
  good: 'check',
  warn: 'warning',
  bad: 'warning',
};

/** Note is a message within a page. */
export function Note({ tone = 'neutral', children }: NoteProps) {
  return (
    <div className={classes(css['note'], css[tone])}>
      <Icon name={noteIcons[tone]} />
      <div className={css['noteText']} dir="auto">
        {children}
      </div>
    </div>
  );
}

interface EmptyProps {
  readonly icon: IconName;
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Empty explains what a list will show, and how to get there. */
export function Empty({ icon, title, children, action }: EmptyProps) {
  return (
    <div className={css['empty']}>
      <span className={css['emptyIcon']}>
        <Icon name={icon} />
      </span>
      <h2>{title}</h2>
      <div className={css['emptyText']}>{children}</div>
      {action}
    </div>
  );
}

/** Loading stands in for lines of text that are being loaded. */
export function Loading({ lines = 4, label = 'Loading' }: { readonly lines?: number; readonly label?: string }) {
  return (
    <div className={css['lines']} role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} className={css['bone']} />
      ))}
    </div>
  );
}

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={classes(css['badge'], css[tone])}>{children}</span>;
}
