// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { curl } from '../../lib/curl';

/** Batch is the posts of one request. */
interface Batch {
  readonly name: string;
  readonly posts: readonly Post[];
}

/** batchesOf groups posts by their request, in the order of the first post of each. */
export function batchesOf(posts: readonly Post[]): readonly Batch[] {
  const found = new Map<string, Post[]>();
  for (const post of posts) {
    found.set(post.batch_id, [...(found.get(post.batch_id) ?? []), post]);
  }
  return [...found].map(([name, members]) => ({ name, posts: members }));
}

/** open returns the posts that are not published or cancelled yet. */
export function open(posts: readonly Post[]): readonly Post[] {
  return posts.filter((post) => post.status === 'scheduled' || post.status === 'draft');
}

/** script returns a shell script that schedules the posts again through the API. */
export function script(posts: readonly Post[], brand: number): string {
  const commands = batchesOf(posts).flatMap((batch) => {
    const byTime = new Map<string, Post[]>();
    // A post that was moved has another time than the rest of its batch.
    for (const post of batch.posts) {
      const at = `${String(post.short_id)} ${post.scheduled_at ?? ''}`;
      byTime.set(at, [...(byTime.get(at) ?? []), post]);
    }
    return [...byTime.values()].map(
      (same) => `# ${batch.name}\n${curl('POST', '/posts', brand, { body: requestOf(same) })}`,
    );
  });
  return `#!/bin/sh\nset -eu\n\n${commands.join('\n\n')}\n`;
}

function requestOf(posts: readonly Post[]) {
  const [first] = posts;
  const known = posts.filter((post) => post.social_data_id !== null);
  return {
    short_id: first?.short_id,
    social_data_ids: known.map((post) => post.social_data_id),
    ...(first?.scheduled_at ? { scheduled_at: first.scheduled_at } : {}),
    media: first?.media_kind,
    posting_mode: first?.posting_mode,
    platform_customizations: Object.fromEntries(
      known.map((post) => [
        String(post.social_data_id),
        {
          ...(post.title === null ? {} : { title: post.title }),
          caption: post.caption ?? '',
          ...(post.cover ? { cover: coverOf(post.cover) } : {}),
        },
      ]),
    ),
  };
}

function coverOf(cover: NonNullable<Post['cover']>): Readonly<Record<string, number>> {
  if (cover.slide !== null) {
    return { slide: cover.slide };
  }
  return cover.media_id === null ? { offset_ms: cover.offset_ms ?? 0 } : { media_id: cover.media_id };
}
