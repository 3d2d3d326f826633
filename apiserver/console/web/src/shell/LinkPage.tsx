// SPDX-License-Identifier: Apache-2.0

import '../kit';

import { useEffect, useState } from 'react';

import { asFailure, type Failure } from '../api/errors';
import { signInByLink } from '../api/session';
import { Button, ButtonLink } from '../ui/Button';
import { Command } from '../ui/Copy';
import { Note } from '../ui/Feedback';
import css from './app.module.css';
import { Brandmark } from './Brandmark';
import { signInCommand, takePage } from './signin';

/** LinkPage signs in by a one-time link and shows the page that the user wanted. */
export default function LinkPage() {
  const [failure, setFailure] = useState<Failure | null>(null);
  const [round, setRound] = useState(0);
  useEffect(() => {
    document.title = 'Sign in · Reelops';
    signInByLink().then(
      () => {
        location.replace(takePage());
      },
      (error: unknown) => {
        setFailure(asFailure(error));
      },
    );
  }, [round]);
  const used = failure?.status === 401;
  return (
    <main className={css['center']}>
      <Brandmark />
      <div className={css['card']}>
        <h1>{failure ? 'The link does not work' : 'Signing in'}</h1>
        {failure ? (
          <>
            <Note tone="bad">
              {used ? 'This link was used before, or it expired. A link works once, for ten minutes.' : failure.message}
            </Note>
            {failure.retryable && (
              <Button
                look="primary"
                icon="refresh"
                onClick={() => {
                  setFailure(null);
                  setRound(round + 1);
                }}
              >
                Try again
              </Button>
            )}
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
