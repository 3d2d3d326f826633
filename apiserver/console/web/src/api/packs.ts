// SPDX-License-Identifier: Apache-2.0

import { queryOptions, type QueryClient } from '@tanstack/react-query';

import { answer, api } from './client';
import { pageSize } from './queries';
import type { CreatePack, MediaItem, Pack, UpdateMedia, UpdatePack } from './schema.gen';

export const packsQuery = (brand: number) =>
  queryOptions({
    queryKey: ['packs', brand],
    queryFn: async (): Promise<readonly Pack[]> => (await answer(api.GET('/api/v1/media_packs'))).data,
  });

export const packQuery = (id: number, page: number) =>
  queryOptions({
    queryKey: ['pack', id, page],
    queryFn: () =>
      answer(api.GET('/api/v1/media_packs/{id}', { params: { path: { id }, query: { page, per_page: pageSize } } })),
  });

export async function createPack(body: CreatePack): Promise<Pack> {
  return (await answer(api.POST('/api/v1/media_packs', { body }))).data;
}

export async function editPack(id: number, body: UpdatePack): Promise<Pack> {
  return (await answer(api.PATCH('/api/v1/media_packs/{id}', { params: { path: { id } }, body }))).data;
}

export async function deletePack(id: number): Promise<void> {
  await answer(api.DELETE('/api/v1/media_packs/{id}', { params: { path: { id } } }));
}

export async function editMedia(id: number, body: UpdateMedia): Promise<MediaItem> {
  return (await answer(api.PATCH('/api/v1/media/{id}', { params: { path: { id } }, body }))).data;
}

export async function deleteMedia(id: number): Promise<void> {
  await answer(api.DELETE('/api/v1/media/{id}', { params: { path: { id } } }));
}

/** mediaChanged makes the lists of media and packs read again. */
export async function mediaChanged(client: QueryClient): Promise<void> {
  await Promise.all(['media', 'packs', 'pack'].map((key) => client.invalidateQueries({ queryKey: [key] })));
}
