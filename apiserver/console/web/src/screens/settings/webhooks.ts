// SPDX-License-Identifier: Apache-2.0

import type { CreateWebhook, Webhook, WebhookDelivery } from '../../api/schema.gen';
import type { State } from '../../lib/format';

export type WebhookEvent = NonNullable<CreateWebhook['events']>[number];

/** eventNames are the types of events that a webhook can select, with what users call them. */
export const eventNames: Readonly<Record<WebhookEvent, string>> = {
  'job.succeeded': 'Job succeeded',
  'job.failed': 'Job failed',
  'post.scheduled': 'Post scheduled',
  'post.awaiting_approval': 'Post awaits approval',
  'post.published': 'Post published',
  'post.in_inbox': 'Post in the inbox of the app',
  'post.failed': 'Post failed',
  'post.unconfirmed': 'Outcome of a post is unknown',
  'post.cancelled': 'Post cancelled',
  'connection.expiring': 'Connection expires soon',
  'connection.expired': 'Connection expired',
  'connection.restored': 'Connection restored',
  'automation.run_succeeded': 'Run of an automation succeeded',
  'automation.run_failed': 'Run of an automation failed',
  'automation.run_missed': 'Run of an automation missed',
  'quota.reached': 'Quota reached',
};

export const eventTypes = Object.keys(eventNames) as WebhookEvent[];

const states: Readonly<Record<Webhook['state'], State>> = {
  active: { text: 'Active', tone: 'good' },
  paused: { text: 'Paused', tone: 'neutral' },
  failing: { text: 'Failing', tone: 'warn' },
  disabled: { text: 'Disabled', tone: 'bad' },
};

export function webhookState({ state }: Pick<Webhook, 'state'>): State {
  return states[state];
}

const deliveryStates: Readonly<Record<WebhookDelivery['state'], State>> = {
  delivered: { text: 'Delivered', tone: 'good' },
  waiting: { text: 'Waiting', tone: 'warn' },
  failed: { text: 'Failed', tone: 'bad' },
};

export function deliveryState({ state }: Pick<WebhookDelivery, 'state'>): State {
  return deliveryStates[state];
}
