// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { answer, api } from '../../api/client';
import { asFailure } from '../../api/errors';
import { shortKey } from '../../api/queries';
import type { ShortDetail } from '../../api/schema.gen';
import { randomKey } from '../../lib/text';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { toast } from '../../ui/messages';

/** RenderButton renders the video of a slideshow that has none, or whose video is out of date. */
export function RenderButton({ short }: { readonly short: ShortDetail }) {
  const { can } = useWorkspace();
  const client = useQueryClient();
  const [key, setKey] = useState(randomKey);
  const render = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/v1/slideshows/{id}/render', {
          params: { path: { id: short.id }, header: { 'Idempotency-Key': key } },
          body: { format: 'video' },
        }),
      ),
    onSuccess: () => {
      setKey(randomKey());
      void client.invalidateQueries({ queryKey: shortKey(short.id) });
    },
    onError: (error) => {
      const failure = asFailure(error);
      if (failure.answered) {
        setKey(randomKey());
      }
      toast(failure.message, true);
    },
  });
  const possible = short.short_type === 'SLIDESHOW' && short.status === 'success_slideshow';
  const needed = ['none', 'stale', 'failed'].includes(short.render_status);
  if (!possible || !needed || !can('content:write')) {
    return null;
  }
  return (
    <Button
      icon="video"
      busy={render.isPending}
      onClick={() => {
        render.mutate();
      }}
    >
      {short.render_status === 'none' ? 'Render video' : 'Render again'}
    </Button>
  );
}
