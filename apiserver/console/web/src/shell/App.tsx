// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';

import { sessionQuery, type SignedIn } from '../api/session';
import { Button } from '../ui/Button';
import { ErrorNote } from '../ui/Feedback';
import { Toasts } from '../ui/Toasts';
import css from './app.module.css';
import { Boundary } from './Boundary';
import { Shell } from './Shell';

const LinkPage = lazy(() => import('./LinkPage'));
const SignInPage = lazy(() => import('./SignInPage'));
const SessionEnded = lazy(() => import('./SessionEnded'));
const SessionChanged = lazy(() => import('./SessionChanged'));

/** App shows the sign-in page or the workspace. A page keeps its unsaved input when the session ends. */
export function App() {
  const [path] = useLocation();
  return (
    <>
      <Boundary>
        <Suspense fallback={<Wait />}>{path === '/link' ? <LinkPage /> : <Gate />}</Suspense>
      </Boundary>
      <Toasts />
    </>
  );
}

function Gate() {
  const session = useQuery(sessionQuery);
  const [user, setUser] = useState<SignedIn | null>(null);
  const now = session.data?.user ?? null;
  const changed = now !== null && user !== null && !continues(user, now);
  if (now && now !== user && !changed) {
    setUser(now);
  }
  if (session.error && !session.data) {
    return (
      <main className={css['center']}>
        <ErrorNote error={session.error} onRetry={() => void session.refetch()} />
      </main>
    );
  }
  if (!session.data) {
    return <Wait />;
  }
  const oidc = session.data.user === null && session.data.oidc;
  if (!user) {
    return <SignInPage oidc={oidc} />;
  }
  return (
    <>
      <Shell key={user.account} session={user} />
      {(!now || changed) && (
        <Boundary fallback={<Interrupted />}>
          <Suspense>
            {now ? <SessionChanged page={user} now={now} /> : <SessionEnded oidc={oidc} />}
          </Suspense>
        </Boundary>
      )}
    </>
  );
}

/** continues reports whether the page can go on with the session. A user without an account may have got one. */
function continues(page: SignedIn, now: SignedIn): boolean {
  return page.user.name === now.user.name && (page.account === now.account || page.account === '');
}

/** Interrupted replaces a dialog about the session that could not be loaded, so that the page keeps its input. */
function Interrupted() {
  const client = useQueryClient();
  return (
    <dialog
      ref={(dialog) => {
        if (dialog && !dialog.open) {
          dialog.showModal();
        }
      }}
      className={css['card']}
      aria-label="Your session ended"
      onCancel={(event) => {
        event.preventDefault();
      }}
    >
      <p>Your session ended or changed. Sign in again in another tab, then continue here.</p>
      <a href="/console" target="_blank" rel="noreferrer">
        Open the console in another tab
      </a>
      <Button look="primary" onClick={() => void client.invalidateQueries({ queryKey: ['session'] })}>
        Continue
      </Button>
    </dialog>
  );
}

function Wait() {
  return <main className={css['center']} aria-busy="true" aria-label="Loading" />;
}
