// SPDX-License-Identifier: Apache-2.0

import { Command } from '../ui/Copy';
import button from '../ui/button.module.css';
import { signInCommand } from './signin';

/** Ways lists the ways to sign in. */
export function Ways({ oidc, newTab }: { readonly oidc: boolean; readonly newTab?: boolean }) {
  const back = encodeURIComponent(newTab ? '/console' : location.pathname + location.search);
  const byLink = (
    <>
      <p>Run this command. It prints a link that signs you in as your Kubernetes user. The link works once.</p>
      <Command text={signInCommand} />
    </>
  );
  if (!oidc) {
    return byLink;
  }
  return (
    <>
      <a
        className={`${button['button'] ?? ''} ${button['primary'] ?? ''}`}
        href={`/console/sign-in?return=${back}`}
        {...(newTab ? { target: '_blank', rel: 'noreferrer' } : {})}
      >
        Sign in with your organization
      </a>
      <details>
        <summary>Sign in with kubectl</summary>
        {byLink}
      </details>
    </>
  );
}
