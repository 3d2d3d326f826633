// SPDX-License-Identifier: Apache-2.0

import type { Client } from 'openapi-fetch';

import { api } from './client';
import { asFailure, Failure, failureOf } from './errors';
import type { EditSlideshow, Meta, Overlay } from './schema.gen';

/** PreviewRequest is an edit, the slide to draw, and the width of the image if not that of the canvas. */
export type PreviewRequest = EditSlideshow & { readonly slide_id: number; readonly max_width?: number };

interface Preview {
  readonly image: string;
  readonly width: number;
  readonly height: number;
  readonly textOverlays: Overlay[];
}

interface PreviewPaths {
  '/api/v1/slideshows/{id}/preview': {
    parameters: { query?: never; header?: never; path: { id: number }; cookie?: never };
    post: {
      parameters: { query?: never; header?: never; path: { id: number }; cookie?: never };
      requestBody: { content: { 'application/json': PreviewRequest } };
      responses: {
        200: { headers: Record<string, unknown>; content: { 'application/json': { data: Preview; meta: Meta } } };
      };
    };
  };
}

const previews = api as unknown as Client<PreviewPaths>;

/** Drawing is a slide as the server draws it. */
export interface Drawing {
  readonly image: ImageBitmap;
  readonly overlays: readonly Overlay[];
  readonly normalizations: NonNullable<Meta['normalizations']>;
}

/**
 * drawSlide returns the slide of an edit as the server draws it. A Failure has the seconds to wait in
 * details.retry_after if the server is busy.
 */
export async function drawSlide(id: number, body: PreviewRequest): Promise<Drawing> {
  let got;
  try {
    got = await previews.POST('/api/v1/slideshows/{id}/preview', { params: { path: { id } }, body });
  } catch (error) {
    throw asFailure(error);
  }
  const { response } = got;
  if (!got.data) {
    const failure = failureOf(response.status, got.error);
    const wait = Number(response.headers.get('Retry-After'));
    throw wait > 0
      ? new Failure(failure.status, failure.code, failure.message, true, { ...failure.details, retry_after: wait })
      : failure;
  }
  const { data, meta } = got.data;
  return {
    image: await createImageBitmap(new Blob([bytesOf(data.image)], { type: 'image/png' })),
    overlays: data.textOverlays,
    normalizations: meta.normalizations ?? [],
  };
}

function bytesOf(base64: string) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) {
    bytes[i] = text.charCodeAt(i);
  }
  return bytes;
}
