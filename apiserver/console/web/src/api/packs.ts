// SPDX-License-Identifier: Apache-2.0

import { queryOptions, type QueryClient } from '@tanstack/react-query';

import { added, type EditMedia, type EditPack, type NewPack, type PackDetail } from './additions';
import { answer, api } from './client';
import { pageSize } from './queries';
import type { MediaItem, Pack } from './schema.gen';

export const packsQuery = (brand: number) =>
  queryOptions({
    queryKey: ['packs', brand],
    queryFn: async (): Promise<readonly Pack[]> => (await answer(api.GET('/api/v1/media_packs'))).data,
  });

export const packQuery = (id: number, page: number) =>
  queryOptions({
    queryKey: ['pack', id, page],
    queryFn: () =>
      answer(added.GET('/api/v1/media_packs/{id}', { params: { path: { id }, query: { page, per_page: pageSize } } })),
  });

export async function createPack(body: NewPack): Promise<Pack> {
  return (await answer(added.POST('/api/v1/media_packs', { body }))).data;
}

export async function editPack(id: number, body: EditPack): Promise<Pack> {
  return (await answer(added.PATCH('/api/v1/media_packs/{id}', { params: { path: { id } }, body }))).data;
}

export async function deletePack(id: number): Promise<void> {
  await answer(added.DELETE('/api/v1/media_packs/{id}', { params: { path: { id } } }));
}

export async function editMedia(id: number, body: EditMedia): Promise<MediaItem> {
  return (await answer(added.PATCH('/api/v1/media/{id}', { params: { path: { id } }, body }))).data;
}

export async function deleteMedia(id: number): Promise<void> {
  await answer(added.DELETE('/api/v1/media/{id}', { params: { path: { id } } }));
}

/** mediaChanged makes the lists of media and packs read again. */
export async function mediaChanged(client: QueryClient): Promise<void> {
  await Promise.all(['media', 'packs', 'pack'].map((key) => client.invalidateQueries({ queryKey: [key] })));
}

export type { PackDetail };
