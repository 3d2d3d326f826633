// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';

import { sessionQuery, type SignedIn } from '../api/session';
import { ErrorNote } from '../ui/Feedback';
import { Toasts } from '../ui/Toasts';
import css from './app.module.css';
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
      <Suspense fallback={<Wait />}>{path === '/link' ? <LinkPage /> : <Gate />}</Suspense>
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
      <Suspense>
        {!now && <SessionEnded oidc={oidc} />}
        {changed && <SessionChanged page={user} now={now} />}
      </Suspense>
    </>
  );
}

/** continues reports whether the page can go on with the session. A user without an account may have got one. */
function continues(page: SignedIn, now: SignedIn): boolean {
  return page.user.name === now.user.name && (page.account === now.account || page.account === '');
}

function Wait() {
  return <main className={css['center']} aria-busy="true" aria-label="Loading" />;
}
