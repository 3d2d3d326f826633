// SPDX-License-Identifier: Apache-2.0

import { useMutation } from '@tanstack/react-query';

import { Button } from '../../ui/Button';
import { toast } from '../../ui/messages';

interface SlidesDownloadProps {
  readonly id: number;
  readonly urls: readonly string[];
}

/** SlidesDownload saves the images of all slides as one ZIP file. The code for it is loaded with the first click. */
export function SlidesDownload({ id, urls }: SlidesDownloadProps) {
  const download = useMutation({
    mutationFn: async () => {
      const { saveSlides } = await import('./saveSlides');
      await saveSlides(id, urls);
    },
    onError: (error) => {
      toast(error.message, true);
    },
  });
  return (
    <Button
      icon="download"
      title="Slides as ZIP"
      busy={download.isPending}
      onClick={() => {
        download.mutate();
      }}
    >
      Slides
    </Button>
  );
}
