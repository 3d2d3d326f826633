// SPDX-License-Identifier: Apache-2.0

import { queryOptions } from '@tanstack/react-query';

import { automatic } from './attended';
import { asFailure, failureOf } from './errors';
import { send } from './client';

/** Scope names the rights that the console checks before it offers an action. The server checks them again. */
export type Scope =
  | 'brand:read'
  | 'brand:write'
  | 'webhooks:write'
  | 'media:read'
  | 'media:write'
  | 'content:write'
  | 'posts:read'
  | 'posts:write'
  | 'analytics:read'
  | 'brands:all';

/** Action names the rights that are no scopes. keys is the right to create API keys. */
export type Action = 'approve' | 'connect' | 'keys' | 'read_keys' | 'refresh_analytics' | 'revoke_keys';

export interface SignedIn {
  readonly user: { readonly name: string; readonly groups: readonly string[] };
  readonly account: string;
  readonly accounts: readonly string[];
  readonly scopes: readonly string[];
  readonly can: Readonly<Record<Action, boolean>>;
  readonly expires_at: string;
}

/** Session is the state of the sign-in: the user, or how to sign in. */
export type Session = { readonly user: SignedIn } | { readonly user: null; readonly oidc: boolean };

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: readSession,
  staleTime: 60_000,
  refetchOnWindowFocus: 'always',
});

async function readSession(): Promise<Session> {
  let response: Response;
  try {
    response = await fetch('/console/session', {
      credentials: 'same-origin',
      headers: { Accept: 'application/json', ...automatic() },
    });
  } catch (error) {
    throw asFailure(error);
  }
  const body: unknown = await response.json().catch(() => null);
  if (response.ok) {
    return { user: body as SignedIn };
  }
  if (response.status === 401) {
    return { user: null, oidc: (body as { sign_in?: { oidc?: boolean } } | null)?.sign_in?.oidc === true };
  }
  throw failureOf(response.status, body);
}

export async function selectAccount(account: string): Promise<void> {
  await send('POST', '/session/account', { account });
}

export async function signOut(everywhere: boolean): Promise<void> {
  await send('DELETE', everywhere ? '/session?everywhere=true' : '/session');
}

let linkToken = '';
let signingIn: Promise<void> | null = null;

/** takeLinkToken moves the token of a one-time link out of the address bar. It has to run before the first render. */
export function takeLinkToken(): void {
  if (location.pathname === '/console/link') {
    linkToken = location.hash.replace(/^#/, '');
    history.replaceState(null, '', '/console/link');
  }
}

/**
 * signInByLink uses the token of the one-time link. The token is sent once, however often the function is called, and
 * again only after a failure that is worth a repetition.
 */
export function signInByLink(): Promise<void> {
  signingIn ??= send('POST', '/session/link', { token: linkToken }).then(
    () => undefined,
    (error: unknown) => {
      if (asFailure(error).retryable) {
        signingIn = null;
      }
      throw error;
    },
  );
  return signingIn;
}
