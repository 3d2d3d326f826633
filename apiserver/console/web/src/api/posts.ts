// SPDX-License-Identifier: Apache-2.0

import { queryOptions, type QueryClient } from '@tanstack/react-query';

import { answer, api } from './client';
import { pageSize, shortKey } from './queries';
import type { DecidePost, EditPost, HistoryEntry, Post } from './schema.gen';

export const postQuery = (id: number) =>
  queryOptions({
    queryKey: ['post', id],
    queryFn: async (): Promise<Post> =>
      (await answer(api.GET('/api/v1/posts/{id}', { params: { path: { id } } }))).data,
    refetchInterval: (query) => (inDelivery(query.state.data) ? 3000 : false),
  });

/**
 * reviewQuery reads the content of a post of a list. The number of edits is part of the key, so that the content is
 * never older than the list.
 */
export const reviewQuery = (post: Pick<Post, 'id' | 'edits'>) =>
  queryOptions({
    queryKey: ['post', post.id, post.edits],
    queryFn: async (): Promise<Post> =>
      (await answer(api.GET('/api/v1/posts/{id}', { params: { path: { id: post.id } } }))).data,
  });

/** inDelivery reports whether the post is being published. */
function inDelivery(post: Post | undefined): boolean {
  return post?.status === 'pending' || post?.status === 'retrying';
}

// A short with more events than these pages hold has most of them from renders.
const historyPages = 6;

/** postHistoryQuery reads the events of a post from the history of its short, the earliest first. */
export const postHistoryQuery = (post: Pick<Post, 'id' | 'short_id' | 'updated_at'>) =>
  queryOptions({
    queryKey: ['post-history', post.id, post.updated_at],
    queryFn: async (): Promise<readonly HistoryEntry[]> => {
      const found: HistoryEntry[] = [];
      for (let page = 1, last = 1; page <= Math.min(last, historyPages); page++) {
        const part = await answer(
          api.GET('/api/v1/shorts/{id}/history', {
            params: { path: { id: post.short_id }, query: { page, per_page: pageSize } },
          }),
        );
        last = part.meta.pagination?.total_pages ?? 1;
        found.push(...part.data.filter((entry) => entry.post_id === post.id));
      }
      return found.reverse();
    },
  });

export async function editPost(id: number, body: EditPost): Promise<Post> {
  return (await answer(api.PATCH('/api/v1/posts/{id}', { params: { path: { id } }, body }))).data;
}

/** decide approves a post, or returns it to its author. It fails if the post was edited after it was shown. */
export async function decide(post: Post, verdict: 'approve' | 'return', comment: string): Promise<Post> {
  const body: DecidePost = { ...(comment === '' ? {} : { comment }), edits: post.edits };
  const params = { path: { id: post.id } };
  const sent =
    verdict === 'approve'
      ? api.POST('/api/v1/posts/{id}/approve', { params, body })
      : api.POST('/api/v1/posts/{id}/return', { params, body });
  return (await answer(sent)).data;
}

export async function cancelPost(id: number): Promise<void> {
  await answer(api.DELETE('/api/v1/posts/{id}', { params: { path: { id } } }));
}

/** postChanged makes every list read a changed post again. */
export async function postChanged(client: QueryClient, post: Pick<Post, 'id' | 'short_id'>): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ['post', post.id] }),
    client.invalidateQueries({ queryKey: ['post-history', post.id] }),
    client.invalidateQueries({ queryKey: ['posts'] }),
    client.invalidateQueries({ queryKey: ['all-posts'] }),
    client.invalidateQueries({ queryKey: shortKey(post.short_id) }),
  ]);
}
