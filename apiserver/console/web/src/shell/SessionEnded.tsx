// SPDX-License-Identifier: Apache-2.0

import '../kit';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';
import { rememberPage } from './signin';
import { Ways } from './Ways';

/** SessionEnded covers the page, which keeps its input, until the user is signed in again. */
export default function SessionEnded({ oidc }: { readonly oidc: boolean }) {
  const client = useQueryClient();
  useEffect(() => {
    rememberPage();
    return () => {
      void client.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' });
    };
  }, [client]);
  return (
    <Dialog
      title="Your session ended"
      footer={
        <Button look="primary" onClick={() => void client.invalidateQueries({ queryKey: ['session'] })}>
          Continue
        </Button>
      }
    >
      <p>Sign in again in another tab, then continue here. What you entered on this page is kept.</p>
      <Ways oidc={oidc} newTab />
    </Dialog>
  );
}
