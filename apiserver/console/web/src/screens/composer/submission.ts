// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { answer, api } from '../../api/client';
import { asFailure } from '../../api/errors';
import { shortKey } from '../../api/queries';
import type { PostRequest } from '../../api/schema.gen';
import { randomKey } from '../../lib/text';
import { useWorkspace } from '../../shell/workspace';

/** Pending is a submission whose outcome is unknown. It can only be repeated with the same body and key. */
export interface Pending {
  readonly key: string;
  readonly body: PostRequest;
  readonly at: number;
}

// The service remembers an Idempotency-Key for 24 hours. An older submission must not be repeated.
const keyLifetime = 23 * 60 * 60 * 1000;

function stored(storageKey: string): Pending | null {
  try {
    const pending = JSON.parse(sessionStorage.getItem(storageKey) ?? 'null') as Pending | null;
    return pending && Date.now() - pending.at < keyLifetime ? pending : null;
  } catch {
    return null;
  }
}

/** usePosting sends the posts of a short. The Idempotency-Key is kept until there is an answer, also after a reload. */
export function usePosting(short: number) {
  const client = useQueryClient();
  const { session } = useWorkspace();
  const storageKey = `reelops.post.${session.user.name}.${String(short)}`;
  const [pending, setPending] = useState(() => stored(storageKey));
  const settle = () => {
    sessionStorage.removeItem(storageKey);
    setPending(null);
  };
  const posting = useMutation({
    mutationFn: async (body: PostRequest) => {
      const sent = pending ?? { key: randomKey(), body, at: Date.now() };
      sessionStorage.setItem(storageKey, JSON.stringify(sent));
      setPending(sent);
      const result = await answer(
        api.POST('/api/v1/posts', { body: sent.body, params: { header: { 'Idempotency-Key': sent.key } } }),
      );
      return result.data;
    },
    onSuccess: () => {
      settle();
      void client.invalidateQueries({ queryKey: ['posts'] });
      void client.invalidateQueries({ queryKey: ['all-posts'] });
      void client.invalidateQueries({ queryKey: shortKey(short) });
    },
    onError: (error) => {
      if (asFailure(error).answered) {
        settle();
      }
    },
  });
  return { posting, pending };
}
