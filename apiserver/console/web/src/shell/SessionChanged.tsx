// SPDX-License-Identifier: Apache-2.0

import '../kit';

import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { selectAccount, type SignedIn } from '../api/session';
import { Button } from '../ui/Button';
import { Dialog } from '../ui/Dialog';

interface SessionChangedProps {
  readonly page: SignedIn;
  readonly now: SignedIn;
}

/**
 * SessionChanged makes the session act in the account of the page again, after a new sign-in or another tab changed it.
 * If that is not possible, the user decides when the page is loaded again, because its unsaved input is lost then.
 */
export default function SessionChanged({ page, now }: SessionChangedProps) {
  const client = useQueryClient();
  const [failed, setFailed] = useState(false);
  const { account } = page;
  const possible = page.user.name === now.user.name && now.accounts.includes(account);
  useEffect(() => {
    if (!possible || failed) {
      return undefined;
    }
    let begun = false;
    const select = () => {
      if (begun) {
        return;
      }
      begun = true;
      selectAccount(account)
        .then(() => client.invalidateQueries({ queryKey: ['session'] }))
        .then(
          () => {
            begun = false;
          },
          () => {
            setFailed(true);
          },
        );
    };
    // Two visible windows in different accounts would otherwise take the session from each other again and again.
    if (document.hasFocus()) {
      select();
    }
    const events = ['focus', 'pointerdown', 'keydown'];
    for (const event of events) {
      addEventListener(event, select);
    }
    return () => {
      for (const event of events) {
        removeEventListener(event, select);
      }
    };
  }, [possible, failed, account, now, client]);
  useEffect(
    () => () => {
      void client.refetchQueries({ type: 'active', predicate: (query) => query.state.status === 'error' });
    },
    [client],
  );
  if (possible && !failed) {
    return null;
  }
  return (
    <Dialog
      title="Your session changed"
      footer={
        <>
          <Button
            onClick={() => {
              location.reload();
            }}
          >
            Load the page again
          </Button>
          <Button
            look="primary"
            onClick={() => {
              setFailed(false);
              void client.invalidateQueries({ queryKey: ['session'] });
            }}
          >
            Continue
          </Button>
        </>
      }
    >
      <p>
        This browser is now signed in as {now.user.name}
        {now.account && `, in the account ${now.account}`}. This page shows the account {account} of {page.user.name}.
      </p>
      <p>
        To keep what you entered on this page, sign in as {page.user.name} in another tab, then continue here. If you
        load the page again, your input is lost.
      </p>
    </Dialog>
  );
}
