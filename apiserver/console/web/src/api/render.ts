// SPDX-License-Identifier: Apache-2.0

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { answer, api } from './client';
import { idempotency } from './idempotency';
import { shortKey } from './queries';

/** useRender returns a function that requests the video of a slideshow at its revision. */
export function useRender(id: number): (revision: number) => Promise<void> {
  const client = useQueryClient();
  const [once] = useState(idempotency);
  return async (revision) => {
    await once({ revision }, (key) =>
      answer(
        api.POST('/api/v1/slideshows/{id}/render', {
          params: { path: { id }, header: { 'Idempotency-Key': key } },
          body: { format: 'video' },
        }),
      ),
    );
    await client.invalidateQueries({ queryKey: shortKey(id) });
  };
}
