// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { idempotency } from '../../api/idempotency';
import type { Webhook } from '../../api/schema.gen';
import {
  deleteWebhook,
  replayWebhook,
  rotateWebhook,
  testWebhook,
  updateWebhook,
  webhooksChanged,
  webhooksQuery,
} from '../../api/webhooks';
import { curl } from '../../lib/curl';
import { plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Confirm } from '../../ui/Dialog';
import { Badge, Empty, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Icon } from '../../ui/Icon';
import { Menu, MenuItem } from '../../ui/Menu';
import { toast } from '../../ui/messages';
import { Panel } from '../../ui/Panel';
import { Deliveries } from './Deliveries';
import { EditWebhook } from './EditWebhook';
import { Secret } from './Secret';
import css from './settings.module.css';
import { webhookState } from './webhooks';

const replayed = 24 * 60 * 60 * 1000;

/** Asked is what the user was asked about a webhook. */
interface Asked {
  readonly what: 'edit' | 'deliveries' | 'rotate' | 'replay' | 'delete';
  readonly of: Webhook;
}

/** WebhookSettings lists the webhooks of the brand, creates and changes them, and shows what they send. */
export function WebhookSettings() {
  const { brand, can } = useWorkspace();
  const client = useQueryClient();
  const webhooks = useQuery(webhooksQuery(brand.id));
  const [creating, setCreating] = useState(false);
  const [asked, setAsked] = useState<Asked | null>(null);
  const [secret, setSecret] = useState('');
  const [once] = useState(idempotency);
  const may = can('webhooks:write');
  const close = () => {
    setCreating(false);
    setAsked(null);
    // The server may have stored a change whose answer was lost.
    void webhooksChanged(client);
  };
  const create = (
    <>
      <CopyCurl command={curl('GET', '/webhooks', brand.id)} />
      {may && (
        <Button
          look="primary"
          icon="add"
          onClick={() => {
            setCreating(true);
          }}
        >
          Add webhook
        </Button>
      )}
    </>
  );
  return (
    <Panel title="Webhooks" actions={create}>
      {!may && <Note>Your role cannot change webhooks.</Note>}
      {webhooks.error && <ErrorNote error={webhooks.error} onRetry={() => void webhooks.refetch()} />}
      {webhooks.isPending && <Loading lines={4} />}
      {webhooks.data?.length === 0 && (
        <Empty icon="terminal" title="No webhooks">
          <p>A webhook sends events, such as a published post or a failed job, to a URL of yours.</p>
        </Empty>
      )}
      {webhooks.data && webhooks.data.length > 0 && (
        <ul className={css['keys']} aria-label="Webhooks">
          {webhooks.data.map((webhook) => (
            <Row key={webhook.id} of={webhook} may={may} onAsk={setAsked} />
          ))}
        </ul>
      )}
      {creating && <EditWebhook onClose={close} onSecret={setSecret} />}
      {asked?.what === 'edit' && <EditWebhook of={asked.of} onClose={close} onSecret={setSecret} />}
      {asked?.what === 'deliveries' && <Deliveries of={asked.of} onClose={close} />}
      {secret && (
        <Secret
          text={secret}
          note="The signing secret is shown only once. If you lose it, rotate it."
          onClose={() => {
            setSecret('');
          }}
        />
      )}
      {asked?.what === 'rotate' && (
        <Confirm
          title="Rotate the secret"
          action="Rotate"
          onConfirm={async () => {
            const { secret: next } = await once({ rotate: asked.of.id }, (key) => rotateWebhook(asked.of.id, key));
            setSecret(next ?? '');
            toast('The secret is rotated');
          }}
          onClose={close}
        >
          <p>For a day, requests are signed with both secrets, so that you can replace the old one.</p>
        </Confirm>
      )}
      {asked?.what === 'replay' && (
        <Confirm
          title="Send the events again"
          action="Send again"
          onConfirm={async () => {
            const since = new Date(Date.now() - replayed).toISOString();
            await once({ replay: asked.of.id }, (key) => replayWebhook(asked.of.id, since, key));
            toast('The events of the last 24 hours are sent again');
          }}
          onClose={close}
        >
          <p>All events of the last 24 hours are sent again, with the ids that they had.</p>
        </Confirm>
      )}
      {asked?.what === 'delete' && (
        <Confirm
          title="Delete this webhook"
          action="Delete webhook"
          keep="Keep webhook"
          danger
          onConfirm={async () => {
            await deleteWebhook(asked.of.id);
            toast('The webhook is deleted');
          }}
          onClose={close}
        >
          <p>
            <bdi>{asked.of.url}</bdi> receives no more events. Events that wait are not sent.
          </p>
        </Confirm>
      )}
    </Panel>
  );
}

interface RowProps {
  readonly of: Webhook;
  readonly may: boolean;
  readonly onAsk: (asked: Asked) => void;
}

function Row({ of, may, onAsk }: RowProps) {
  const client = useQueryClient();
  const [once] = useState(idempotency);
  const state = webhookState(of);
  const ask = (what: Asked['what']) => () => {
    onAsk({ what, of });
  };
  const send = async (work: () => Promise<unknown>, done: string) => {
    try {
      await work();
      toast(done);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), true);
    } finally {
      void webhooksChanged(client);
    }
  };
  return (
    <li className={css['key']}>
      <div className={css['keyText']}>
        <p className={css['keyName']}>
          <bdi>{of.url}</bdi> <Badge tone={state.tone}>{state.text}</Badge>
        </p>
        <p className={css['muted']}>{of.events.length === 0 ? 'All events' : of.events.join(', ')}</p>
        <p className={css['muted']} dir="auto">
          {of.message}.{of.waiting > 0 && ` ${plural(of.waiting, 'event')} waiting.`}
        </p>
      </div>
      <Menu
        label={of.url}
        trigger={
          <>
            Actions <Icon name="down" />
          </>
        }
      >
        <MenuItem onSelect={ask('deliveries')}>Deliveries</MenuItem>
        {may && (
          <>
            <MenuItem
              onSelect={() =>
                void send(() => once({ test: of.id }, (key) => testWebhook(of.id, key)), 'A test is sent')
              }
            >
              Send a test
            </MenuItem>
            <MenuItem
              onSelect={() =>
                void send(
                  () => updateWebhook(of.id, { paused: !of.paused }),
                  of.paused ? 'The webhook is resumed' : 'The webhook is paused',
                )
              }
            >
              {of.paused ? 'Resume' : 'Pause'}
            </MenuItem>
            <MenuItem onSelect={ask('edit')}>Edit</MenuItem>
            <MenuItem onSelect={ask('replay')}>Send events again</MenuItem>
            <MenuItem onSelect={ask('rotate')}>Rotate the secret</MenuItem>
            <MenuItem onSelect={ask('delete')}>Delete</MenuItem>
          </>
        )}
      </Menu>
    </li>
  );
}
