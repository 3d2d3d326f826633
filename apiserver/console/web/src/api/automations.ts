// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';

import { answer, api } from './client';
import { pageSize } from './queries';
import type { AutomationFields, AutomationRun } from './schema.gen';

/** AutomationChange has the members that PATCH /automations/{id} changes. null clears a member. */
export type AutomationChange = Readonly<Record<string, unknown>>;

export const automationsQuery = (brand: number, page: number) =>
  queryOptions({
    queryKey: ['automations', brand, 'list', page],
    queryFn: () => answer(api.GET('/api/v1/automations', { params: { query: { page, per_page: pageSize } } })),
    placeholderData: keepPreviousData,
    refetchInterval: 30_000,
  });

export const automationQuery = (brand: number, id: number) =>
  queryOptions({
    queryKey: ['automations', brand, 'one', id],
    queryFn: async () => (await answer(api.GET('/api/v1/automations/{id}', { params: { path: { id } } }))).data,
    // The controller sets the state within seconds after a change.
    refetchInterval: ({ state: { data } }) => (data && (data.conditions.length === 0 || !data.ready) ? 5000 : 15_000),
  });

/** ended reports whether a run has its final state. */
export function ended({ status }: Pick<AutomationRun, 'status'>): boolean {
  return status === 'succeeded' || status === 'failed' || status === 'missed' || status === 'skipped';
}

export const runsQuery = (brand: number, id: number, page: number) =>
  queryOptions({
    queryKey: ['automations', brand, 'runs', id, page],
    queryFn: () =>
      answer(
        api.GET('/api/v1/automations/{id}/runs', { params: { path: { id }, query: { page, per_page: pageSize } } }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => (data?.data.every(ended) ? 15_000 : 5000),
  });

export const previewQuery = (brand: number, body: AutomationFields) =>
  queryOptions({
    queryKey: ['automation-preview', brand, body],
    queryFn: async () => (await answer(api.POST('/api/v1/automations/preview', { body }))).data,
    placeholderData: keepPreviousData,
    staleTime: 15_000,
  });

export async function createAutomation(body: AutomationFields, key: string) {
  return (
    await answer(api.POST('/api/v1/automations', { body, params: { header: { 'Idempotency-Key': key } } }))
  ).data;
}

export async function updateAutomation(id: number, body: AutomationChange) {
  return (await answer(api.PATCH('/api/v1/automations/{id}', { body, params: { path: { id } } }))).data;
}

export async function deleteAutomation(id: number): Promise<void> {
  await answer(api.DELETE('/api/v1/automations/{id}', { params: { path: { id } } }));
}

export async function runAutomation(id: number, key: string) {
  return (
    await answer(
      api.POST('/api/v1/automations/{id}/run', { params: { path: { id }, header: { 'Idempotency-Key': key } } }),
    )
  ).data;
}

/** automationsChanged reads all automations and their runs again. */
export function automationsChanged(client: QueryClient): Promise<void> {
  return client.invalidateQueries({ queryKey: ['automations'] });
}
