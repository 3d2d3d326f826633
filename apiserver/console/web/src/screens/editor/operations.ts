// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { answer, api } from '../../api/client';
import { asFailure } from '../../api/errors';
import { idempotency } from '../../api/idempotency';
import { shortKey, shortQuery } from '../../api/queries';
import type { AddSlide, AddedSlide, EditSlideshow, Meta, ShortRecord } from '../../api/schema.gen';

interface Saved {
  readonly record: ShortRecord;
  readonly meta: Meta;
}

/**
 * useSave stores the changes with one request. The API has no precondition for an edit, so the revision is compared
 * first. The result is null if the slideshow has a newer revision, and nothing is stored then. onSend receives true
 * before the changes are sent, and false after a definite rejection.
 */
export function useSave(id: number, onSaved: (saved: Saved) => void, onSend: (sent: boolean) => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ body, revision }: { readonly body: EditSlideshow; readonly revision: number }) => {
      const now = await client.fetchQuery({ ...shortQuery(id), staleTime: 0 });
      if (now.revision > revision) {
        return null;
      }
      onSend(true);
      try {
        const edited = await answer(api.PATCH('/api/v1/slideshows/{id}', { params: { path: { id } }, body }));
        return { record: edited.data, meta: edited.meta };
      } catch (error) {
        if (asFailure(error).answered) {
          onSend(false);
        }
        throw error;
      }
    },
    onSuccess: (saved) => {
      if (saved) {
        onSaved(saved);
        void client.invalidateQueries({ queryKey: shortKey(id) });
        void client.invalidateQueries({ queryKey: ['shorts'] });
      }
    },
  });
}

/** useAddSlide adds a slide to the stored slideshow. */
export function useAddSlide(id: number, onAdded: (record: AddedSlide, slide: AddSlide) => void) {
  const client = useQueryClient();
  const [once] = useState(idempotency);
  return useMutation({
    mutationFn: (body: AddSlide) =>
      once(body, async (key) => {
        const params = { path: { id }, header: { 'Idempotency-Key': key } };
        return (await answer(api.POST('/api/v1/slideshows/{id}/slides', { params, body }))).data;
      }),
    onSuccess: (record, slide) => {
      onAdded(record, slide);
      void client.invalidateQueries({ queryKey: shortKey(id) });
    },
  });
}
