// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';

import type { Webhook, WebhookDelivery } from '../../api/schema.gen';
import { deliveriesQuery } from '../../api/webhooks';
import { curl } from '../../lib/curl';
import { dateTime, plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { Badge, ErrorNote, Loading } from '../../ui/Feedback';
import css from './settings.module.css';
import { deliveryState } from './webhooks';

interface DeliveriesProps {
  readonly of: Webhook;
  readonly onClose: () => void;
}

/** Deliveries lists the last events that a webhook sent, and those that wait. */
export function Deliveries({ of, onClose }: DeliveriesProps) {
  const { brand } = useWorkspace();
  const deliveries = useQuery(deliveriesQuery(brand.id, of.id));
  return (
    <Dialog
      title="Deliveries"
      wide
      onClose={onClose}
      footer={
        <>
          <CopyCurl command={curl('GET', `/webhooks/${String(of.id)}/deliveries`, brand.id)} />
          <Button onClick={onClose}>Close</Button>
        </>
      }
    >
      {deliveries.error && <ErrorNote error={deliveries.error} onRetry={() => void deliveries.refetch()} />}
      {deliveries.isPending && <Loading lines={4} />}
      {deliveries.data?.length === 0 && <p className={css['muted']}>Nothing was sent yet.</p>}
      {deliveries.data && deliveries.data.length > 0 && (
        <ul className={css['keys']} aria-label="Deliveries">
          {deliveries.data.map((delivery) => (
            <Delivery key={delivery.event_id} of={delivery} />
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function Delivery({ of }: { readonly of: WebhookDelivery }) {
  const { zone } = useWorkspace();
  const state = deliveryState(of);
  return (
    <li className={css['delivery']}>
      <p className={css['keyName']}>
        {of.type} {of.object_id !== null && String(of.object_id)} <Badge tone={state.tone}>{state.text}</Badge>
      </p>
      <p className={css['muted']}>
        {[
          of.last_attempt_at && dateTime(of.last_attempt_at, zone),
          of.status_code !== null && `status ${String(of.status_code)}`,
          of.duration_ms !== null && `${String(of.duration_ms)} ms`,
          plural(of.attempts, 'attempt'),
          of.next_attempt_at && `next attempt ${dateTime(of.next_attempt_at, zone)}`,
        ]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {of.error !== null && (
        <p className={css['muted']} dir="auto">
          {of.error}
        </p>
      )}
      {of.body !== null && (
        <details>
          <summary>Body</summary>
          <pre className={css['body']}>{JSON.stringify(of.body, null, 2)}</pre>
        </details>
      )}
    </li>
  );
}
