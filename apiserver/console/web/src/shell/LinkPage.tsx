// SPDX-License-Identifier: Apache-2.0

import '../kit';

import { useEffect, useState } from 'react';

import { asFailure } from '../api/errors';
import { signInByLink } from '../api/session';
import { ButtonLink } from '../ui/Button';
import { Command } from '../ui/Copy';
import { Note } from '../ui/Feedback';
import css from './app.module.css';
import { Brandmark } from './Brandmark';
import { signInCommand, takePage } from './signin';

/** LinkPage signs in by a one-time link and shows the page that the user wanted. */
export default function LinkPage() {
  const [problem, setProblem] = useState('');
  useEffect(() => {
    document.title = 'Sign in · Reelops';
    signInByLink().then(
      () => {
        location.replace(takePage());
      },
      (error: unknown) => {
        const failure = asFailure(error);
        setProblem(
          failure.status === 401
            ? 'This link was used before, or it expired. A link works once, for ten minutes.'
            : failure.message,
        );
      },
    );
  }, []);
  return (
    <main className={css['center']}>
      <Brandmark />
      <div className={css['card']}>
        <h1>{problem ? 'The link does not work' : 'Signing in'}</h1>
        {problem ? (
          <>
            <Note tone="bad">{problem}</Note>
            <p>Create a new link:</p>
            <Command text={signInCommand} />
            <ButtonLink to="/">Open the console</ButtonLink>
          </>
        ) : (
          <p className={css['muted']} role="status">
            Checking the link.
          </p>
        )}
      </div>
    </main>
  );
}
