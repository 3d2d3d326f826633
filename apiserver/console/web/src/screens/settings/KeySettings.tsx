// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { keysQuery, revokeKey, type AccessKey } from '../../api/keys';
import { quote } from '../../lib/curl';
import { date, dateTime } from '../../lib/format';
import { count } from '../../lib/numbers';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Command } from '../../ui/Copy';
import { Confirm } from '../../ui/Dialog';
import { Badge, Empty, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Panel } from '../../ui/Panel';
import { toast } from '../../ui/messages';
import { CreateKey } from './CreateKey';
import { Secret } from './Secret';
import css from './settings.module.css';

/** KeySettings lists the API keys of the account, creates and revokes them. */
export function KeySettings() {
  const { account, session } = useWorkspace();
  const client = useQueryClient();
  const { can } = session;
  const keys = useQuery({ ...keysQuery(account), enabled: can.read_keys });
  const [creating, setCreating] = useState(false);
  const [secret, setSecret] = useState('');
  const [revoking, setRevoking] = useState<AccessKey | null>(null);
  const reload = () => client.invalidateQueries({ queryKey: ['keys', account] });
  const create = can.keys && (
    <Button
      look="primary"
      icon="add"
      onClick={() => {
        setCreating(true);
      }}
    >
      Create key
    </Button>
  );
  const lacking = [!can.read_keys && 'list', !can.keys && 'create', !can.revoke_keys && 'revoke'].filter(Boolean);
  return (
    <Panel title="API keys" actions={create}>
      {lacking.length > 0 && <Note>Your role cannot {lacking.join(' or ')} API keys.</Note>}
      {keys.error && <ErrorNote error={keys.error} onRetry={() => void keys.refetch()} />}
      {keys.isLoading && <Loading lines={4} />}
      {keys.data?.length === 0 && (
        <Empty icon="terminal" title="No API keys">
          <p>A key lets a program or an agent use the API and the MCP server, with the scopes that you choose.</p>
        </Empty>
      )}
      {keys.data && keys.data.length > 0 && (
        <ul className={css['keys']}>
          {keys.data.map((key) => (
            <KeyRow key={key.name} entry={key} onRevoke={setRevoking} />
          ))}
        </ul>
      )}
      {can.read_keys && (
        <details className={css['command']}>
          <summary>The same with kubectl</summary>
          <Command text={`kubectl get apikeys.reelops.dev -n ${quote(account)}`} />
        </details>
      )}
      {creating && (
        <CreateKey
          onClose={() => {
            setCreating(false);
            // The key may exist although the answer was lost.
            void reload();
          }}
          onCreated={(value) => {
            setCreating(false);
            setSecret(value);
            void reload();
          }}
        />
      )}
      {secret && (
        <Secret
          text={secret}
          note="The secret is shown only once. A lost key has to be revoked and replaced."
          onClose={() => {
            setSecret('');
          }}
        />
      )}
      {revoking && (
        <Confirm
          title="Revoke this key"
          action="Revoke key"
          keep="Keep key"
          danger
          onConfirm={async () => {
            await revokeKey(revoking.name).finally(reload);
            toast('The key is revoked');
          }}
          onClose={() => {
            setRevoking(null);
          }}
        >
          <p>
            The next request with <bdi>{revoking.display_name}</bdi> fails. This cannot be undone.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

interface KeyRowProps {
  readonly entry: AccessKey;
  readonly onRevoke: (key: AccessKey) => void;
}

function KeyRow({ entry: key, onRevoke }: KeyRowProps) {
  const { zone, brands, session } = useWorkspace();
  const expired = key.expires_at !== null && new Date(key.expires_at) < new Date();
  const brand = brands.find((b) => b.id === key.brand_id);
  return (
    <li className={css['key']}>
      <div className={css['keyText']}>
        <p className={css['keyName']}>
          <bdi>{key.display_name || key.name}</bdi>{' '}
          {key.revoked && <Badge tone="neutral">Revoked</Badge>}
          {!key.revoked && expired && <Badge tone="warn">Expired</Badge>}
        </p>
        {key.client && (
          <p className={css['muted']}>
            Agent{key.client.host && ` of ${key.client.host}`}, signed in by <bdi>{key.client.user}</bdi>
          </p>
        )}
        <p className={css['muted']}>
          {brand && (
            <>
              <bdi>{brand.name}</bdi>
              {' · '}
            </>
          )}
          {key.scopes.join(', ')}
        </p>
        <p className={css['muted']}>
          Created {date(key.created_at, zone)}
          {key.expires_at && ` · ${expired ? 'expired' : 'expires'} ${date(key.expires_at, zone)}`}
          {' · '}
          {key.last_used_at
            ? `last used ${dateTime(key.last_used_at, zone)}, ${count(key.request_count)} requests`
            : 'never used'}
        </p>
      </div>
      {!key.revoked && session.can.revoke_keys && (
        <Button
          small
          look="danger"
          onClick={() => {
            onRevoke(key);
          }}
        >
          Revoke
        </Button>
      )}
    </li>
  );
}
