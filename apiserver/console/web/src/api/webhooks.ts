// SPDX-License-Identifier: Apache-2.0

import { queryOptions, type QueryClient } from '@tanstack/react-query';

import { answer, api } from './client';
import type { CreateWebhook, UpdateWebhook } from './schema.gen';

/** An account has at most this many webhooks, so that one page lists them. */
const most = 20;

export const webhooksQuery = (brand: number) =>
  queryOptions({
    queryKey: ['webhooks', brand, 'list'],
    queryFn: async () =>
      (await answer(api.GET('/api/v1/webhooks', { params: { query: { page: 1, per_page: most } } }))).data,
    refetchInterval: 15_000,
  });

/** deliveriesQuery reads the last deliveries, which are few: a webhook keeps 50 attempts. */
export const deliveriesQuery = (brand: number, id: number) =>
  queryOptions({
    queryKey: ['webhooks', brand, 'deliveries', id],
    queryFn: async () =>
      (
        await answer(
          api.GET('/api/v1/webhooks/{id}/deliveries', {
            params: { path: { id }, query: { page: 1, per_page: 50 } },
          }),
        )
      ).data,
    refetchInterval: 5000,
  });

export async function createWebhook(body: CreateWebhook, key: string) {
  return (await answer(api.POST('/api/v1/webhooks', { body, params: { header: { 'Idempotency-Key': key } } }))).data;
}

export async function updateWebhook(id: number, body: UpdateWebhook) {
  return (await answer(api.PATCH('/api/v1/webhooks/{id}', { body, params: { path: { id } } }))).data;
}

export async function deleteWebhook(id: number): Promise<void> {
  await answer(api.DELETE('/api/v1/webhooks/{id}', { params: { path: { id } } }));
}

export async function testWebhook(id: number, key: string): Promise<void> {
  await answer(
    api.POST('/api/v1/webhooks/{id}/test', { params: { path: { id }, header: { 'Idempotency-Key': key } } }),
  );
}

export async function rotateWebhook(id: number, key: string) {
  return (
    await answer(
      api.POST('/api/v1/webhooks/{id}/rotate', { params: { path: { id }, header: { 'Idempotency-Key': key } } }),
    )
  ).data;
}

/** replayWebhook sends the events since a time again. */
export async function replayWebhook(id: number, since: string, key: string): Promise<void> {
  await answer(
    api.POST('/api/v1/webhooks/{id}/replay', {
      body: { since },
      params: { path: { id }, header: { 'Idempotency-Key': key } },
    }),
  );
}

/** webhooksChanged reads all webhooks and their deliveries again. */
export function webhooksChanged(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ['webhooks'] });
}
