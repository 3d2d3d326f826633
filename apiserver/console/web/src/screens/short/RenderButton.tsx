// SPDX-License-Identifier: Apache-2.0

import { useMutation } from '@tanstack/react-query';

import { asFailure } from '../../api/errors';
import { useRender } from '../../api/render';
import type { ShortDetail } from '../../api/schema.gen';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { toast } from '../../ui/messages';

/** RenderButton renders the video of a slideshow that has none, or whose video is out of date. */
export function RenderButton({ short }: { readonly short: ShortDetail }) {
  const { can } = useWorkspace();
  const request = useRender(short.id);
  const render = useMutation({
    mutationFn: () => request(short.revision),
    onError: (error) => {
      toast(asFailure(error).message, true);
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
