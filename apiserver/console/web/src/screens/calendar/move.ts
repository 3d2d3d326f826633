// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { editPost, postChanged } from '../../api/posts';
import { capabilitiesQuery, connectionsQuery } from '../../api/queries';
import type { Post } from '../../api/schema.gen';
import { dateTime, plural } from '../../lib/format';
import { declared, editable, postName, postTime } from '../../lib/posts';
import { dayOf, onDay, utc } from '../../lib/time';
import { useWorkspace } from '../../shell/workspace';
import { toast } from '../../ui/messages';

/** Moving is a post that was picked up, and the day above which it is. */
export interface Moving {
  readonly post: Post;
  readonly to: string;
  readonly by: 'pointer' | 'keyboard';
}

/** Refused is a move that the service did not accept. */
export interface Refused {
  readonly post: Post;
  readonly error: unknown;
}

/** movable reports whether the post can be moved to another day. */
export function movable(post: Post, can: boolean): boolean {
  return can && editable(post) && post.scheduled_at !== null;
}

/** fixedReason returns why a post cannot be moved. */
export function fixedReason(post: Post, can: boolean): string {
  if (declared(post)) {
    return 'Managed by a manifest';
  }
  if (!can) {
    return 'Your role cannot move posts';
  }
  return post.scheduled_at === null ? 'Published without a schedule' : 'No longer movable';
}

/** useMove moves posts to other days. The time of day in the brand's time zone stays. */
export function useMove() {
  const client = useQueryClient();
  const { zone } = useWorkspace();
  const [moving, setMoving] = useState<Moving | null>(null);
  const [refused, setRefused] = useState<Refused | null>(null);
  const show = (post: Post, scheduled: string) => {
    client.setQueriesData<{ readonly posts: readonly Post[] }>({ queryKey: ['all-posts'] }, (found) =>
      found && {
        ...found,
        posts: found.posts.map((p) => (p.id === post.id ? { ...p, scheduled_at: scheduled } : p)),
      },
    );
  };
  const send = async (post: Post, at: string, from: string, undone: boolean) => {
    // An answer to an earlier read would show the old day again.
    await client.cancelQueries({ queryKey: ['all-posts'] });
    show(post, at);
    try {
      await editPost(post.id, { scheduled_at: at });
    } catch (error) {
      show(post, from);
      setRefused({ post, error });
      await postChanged(client, post);
      return;
    }
    const undo = {
      label: 'Undo',
      run: () => {
        void send(post, from, at, true);
      },
    };
    toast(`Moved to ${dateTime(at, zone)}`, false, undone ? undefined : undo);
    await postChanged(client, post);
  };
  return {
    moving,
    refused,
    forget: () => {
      setRefused(null);
    },
    pickUp: (post: Post, by: Moving['by']) => {
      setMoving({ post, to: dayOf(postTime(post), zone), by });
    },
    over: (to: string) => {
      setMoving((before) => before && { ...before, to });
    },
    cancel: () => {
      setMoving(null);
    },
    drop: (post: Post, to: string) => {
      setMoving(null);
      const from = postTime(post);
      const at = utc(onDay(from, to, zone));
      if (dayOf(from, zone) !== to) {
        void send(post, at, from, false);
      }
    },
  };
}

export type Move = ReturnType<typeof useMove>;

// Posts of one account that are closer together than this are reported.
const closeMinutes = 60;

export interface Check {
  /** Why the post cannot be dropped, or an empty string. */
  readonly blocked: string;
  readonly warnings: readonly string[];
}

/** useCheck returns what is known against a move, before the service checks it. Hidden counts unread posts by day. */
export function useCheck(
  moving: Moving | null,
  posts: readonly Post[],
  hidden: Readonly<Record<string, number>>,
): Check {
  const { brand, zone } = useWorkspace();
  const limits = useQuery({ ...capabilitiesQuery, enabled: moving !== null }).data?.scheduling;
  const accounts = useQuery({ ...connectionsQuery(brand.id), enabled: moving !== null }).data?.accounts;
  const [now] = useState(Date.now);
  if (!moving) {
    return { blocked: '', warnings: [] };
  }
  const { post, to } = moving;
  const at = onDay(postTime(post), to, zone).getTime();
  const day = 24 * 60 * 60 * 1000;
  if (dayOf(postTime(post), zone) !== to && limits) {
    const lead = limits.min_lead_seconds;
    if (at < now + lead * 1000) {
      return {
        blocked: at < now ? 'This time is in the past.' : `Posts need ${plural(Math.ceil(lead / 60), 'minute')} ahead.`,
        warnings: [],
      };
    }
    if (at > now + limits.max_ahead_days * day) {
      return { blocked: `Posts can be at most ${plural(limits.max_ahead_days, 'day')} ahead.`, warnings: [] };
    }
  }
  const others = posts.filter(
    (p) => p.id !== post.id && p.social_data_id === post.social_data_id && !['failed', 'cancelled'].includes(p.status),
  );
  const warnings: string[] = [];
  const close = others.find((p) => Math.abs(Date.parse(postTime(p)) - at) < closeMinutes * 60_000);
  if (close) {
    warnings.push(`Conflict: “${postName(close)}” is on the same account at ${dateTime(postTime(close), zone)}.`);
  }
  const limit = accounts?.find((a) => a.social_data_id === post.social_data_id)?.rate_limit;
  const near = others.filter((p) => Math.abs(Date.parse(postTime(p)) - at) < day).length;
  if (limit && near + 1 > limit.max) {
    warnings.push(`The account then has ${plural(near + 1, 'post')} within a day. Its limit: ${limit.label}.`);
  }
  if (hidden[to] !== undefined) {
    warnings.push(`${plural(hidden[to], 'post')} of this day were not compared.`);
  }
  return { blocked: '', warnings };
}
