// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { answer, api } from '../../api/client';
import { connectionsQuery } from '../../api/queries';
import type { ConnectedAccount } from '../../api/schema.gen';
import { platformName, time } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button, Outside } from '../../ui/Button';
import { CopyButton } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote, Loading, Note } from '../../ui/Feedback';
import css from './connections.module.css';

interface ConnectDialogProps {
  readonly platform: ConnectedAccount['platform'];
  readonly before: readonly ConnectedAccount[];
  readonly onClose: () => void;
}

/** ConnectDialog creates a connect link, lists the steps, and notices when the account is connected. */
export function ConnectDialog({ platform, before, onClose }: ConnectDialogProps) {
  const { brand, zone } = useWorkspace();
  const [known] = useState(before);
  const link = useQuery({
    queryKey: ['connect-link', brand.id, platform],
    queryFn: async () => (await answer(api.POST('/api/v1/connections/link', { body: { platform } }))).data,
    // Each link works once, so an earlier one is never shown again.
    gcTime: 0,
    staleTime: Infinity,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const connections = useQuery({ ...connectionsQuery(brand.id), refetchInterval: 3000 });
  const connected = connections.data?.accounts.find(
    (account) =>
      account.platform === platform &&
      !known.some(
        (old) => old.social_data_id === account.social_data_id && old.connected_at === account.connected_at,
      ),
  );
  const name = platformName(platform);
  if (connected) {
    return (
      <Dialog
        title={`${name} is connected`}
        onClose={onClose}
        footer={
          <Button look="primary" onClick={onClose}>
            Done
          </Button>
        }
      >
        <Note tone="good">
          <bdi>{connected.account_name ?? connected.username ?? name}</bdi> is ready.
        </Note>
      </Dialog>
    );
  }
  return (
    <Dialog
      title={`Connect ${name}`}
      onClose={onClose}
      {...(link.data
        ? {
            footer: (
              <>
                <CopyButton text={link.data.authorize_url} label="Copy link" />
                <Outside href={link.data.authorize_url} look="primary" icon="external">
                  Open {name}
                </Outside>
              </>
            ),
          }
        : {})}
    >
      {link.error && <ErrorNote error={link.error} onRetry={() => void link.refetch()} />}
      {link.isPending && <Loading lines={4} label="Creating the link" />}
      {link.data && (
        <>
          <ol className={css['steps']}>
            {link.data.steps.filter(forPeople).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
          <p className={css['muted']} role="status">
            The link works once, until {time(link.data.expires_at, zone)}. This page notices when the account is
            connected.
          </p>
        </>
      )}
    </Dialog>
  );
}

/** forPeople reports whether a step is not a request, which this page sends by itself. */
function forPeople(step: string): boolean {
  return !step.includes('/api/v1/');
}
