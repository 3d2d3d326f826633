// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef } from 'react';

import css from './editor.module.css';

interface CanvasProps {
  readonly image: ImageBitmap;
  readonly label?: string;
  /** Whether the image is a thumbnail. */
  readonly small?: boolean;
}

/** Canvas shows an image of the server. The content security policy does not permit images of the page itself. */
export function Canvas({ image, label, small }: CanvasProps) {
  const ref = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    const canvas = ref.current;
    if (canvas) {
      canvas.width = small ? 216 : image.width;
      canvas.height = (canvas.width * image.height) / image.width;
      const context = canvas.getContext('2d');
      if (context) {
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
      }
    }
  }, [image, small]);
  return (
    <canvas
      ref={ref}
      className={css['canvas']}
      {...(label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true })}
    />
  );
}
