// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useLocation } from 'wouter';

import { sessionQuery, type SignedIn } from '../api/session';
import { ErrorNote } from '../ui/Feedback';
import { Toasts } from '../ui/Toasts';
import css from './app.module.css';
import { Shell } from './Shell';

const LinkPage = lazy(() => import('./LinkPage'));
const SignInPage = lazy(() => import('./SignInPage'));
const SessionEnded = lazy(() => import('./SessionEnded'));

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
  if (now && now !== user) {
    setUser(now);
  }
  const identity = user ? `${user.user.name}\n${user.account}` : '';
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
      <Identity value={identity} />
      <Shell session={user} />
      <Suspense>{session.data.user === null && <SessionEnded oidc={oidc} />}</Suspense>
    </>
  );
}

function Wait() {
  return <main className={css['center']} aria-busy="true" aria-label="Loading" />;
}

/** Identity reloads the page when another user or account is signed in, so that no data of the earlier one remains. */
function Identity({ value }: { readonly value: string }) {
  const [first] = useState(value);
  useEffect(() => {
    if (value !== first) {
      location.reload();
    }
  }, [value, first]);
  return null;
}
