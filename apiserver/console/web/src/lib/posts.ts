// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../api/schema.gen';
import type { State } from './format';

export function postState(post: Pick<Post, 'status' | 'delivery_state'> & Partial<Pick<Post, 'approval'>>): State {
  if (post.status === 'draft' && post.approval?.state === 'returned') {
    return { text: 'Returned', tone: 'bad' };
  }
  if (post.delivery_state === 'unconfirmed') {
    return { text: 'Unconfirmed', tone: 'warn' };
  }
  if (post.status === 'success' && post.delivery_state === 'in_inbox') {
    return { text: 'In the inbox', tone: 'good' };
  }
  if (post.status === 'success' && post.delivery_state === 'private') {
    return { text: 'Published, private', tone: 'good' };
  }
  const states: Readonly<Record<Post['status'], State>> = {
    draft: { text: 'Awaiting approval', tone: 'warn' },
    pending: { text: 'Publishing', tone: 'info' },
    scheduled: { text: 'Scheduled', tone: 'info' },
    retrying: { text: 'Retrying', tone: 'warn' },
    success: { text: 'Published', tone: 'good' },
    failed: { text: 'Failed', tone: 'bad' },
    cancelled: { text: 'Cancelled', tone: 'neutral' },
  };
  return states[post.status];
}

/** cancellable reports whether DELETE /posts/{id} accepts the post. */
export function cancellable(post: Post): boolean {
  return post.status === 'draft' || post.status === 'pending' || post.status === 'scheduled';
}

/** postTime returns the time at which a post stands in the calendar. */
export function postTime(post: Post): string {
  return post.scheduled_at ?? post.published_at ?? post.created_at;
}

/** declared reports whether the post comes from a manifest. Batches of the API have a number as their name. */
export function declared(post: Pick<Post, 'batch_id'>): boolean {
  return !/^batch-\d+$/.test(post.batch_id);
}

/** editable reports whether PATCH /posts/{id} accepts the post. */
export function editable(post: Post): boolean {
  return (post.status === 'draft' || post.status === 'scheduled') && !declared(post);
}

/** postName returns the first words of a post. */
export function postName(post: Pick<Post, 'title' | 'caption' | 'id'>): string {
  return post.title ?? post.caption?.split('\n')[0] ?? `Post ${String(post.id)}`;
}
