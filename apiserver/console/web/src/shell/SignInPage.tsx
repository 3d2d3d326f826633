// SPDX-License-Identifier: Apache-2.0

import '../kit';

import { useEffect } from 'react';

import css from './app.module.css';
import { Brandmark } from './Brandmark';
import { rememberPage } from './signin';
import { Ways } from './Ways';

/** SignInPage is shown to a visitor without a session. */
export default function SignInPage({ oidc }: { readonly oidc: boolean }) {
  useEffect(() => {
    document.title = 'Sign in · Reelops';
    rememberPage();
  }, []);
  return (
    <main className={css['center']}>
      <Brandmark />
      <div className={css['card']}>
        <h1>Sign in</h1>
        <Ways oidc={oidc} />
      </div>
    </main>
  );
}
