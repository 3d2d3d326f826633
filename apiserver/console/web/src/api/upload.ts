// SPDX-License-Identifier: Apache-2.0

import { answer, api } from './client';
import { asFailure, Failure } from './errors';
import type { KeepUpload, MediaItem } from './schema.gen';

/** The seconds before each repetition of a step without a definite answer. A server may take minutes to restart. */
const pauses = [1, 2, 4, 8, 15, 15, 15, 30, 30, 30, 30];

/**
 * upload declares a file of the brand, sends its bytes to the signed URL and confirms it. progress gets values from 0
 * to 1. The user may select another brand meanwhile.
 *
 * Each step may be repeated, so one that gets no definite answer is repeated for three minutes: the store keeps the
 * last complete file at the URL, and a confirmation that is repeated returns the same item.
 */
export async function upload(
  file: File,
  purpose: KeepUpload['media_type'],
  brand: number,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<MediaItem> {
  const headers = { 'X-Brand-Id': String(brand) };
  const body = {
    filename: file.name,
    byte_size: file.size,
    content_type: file.type,
    checksum: await checksum(file),
  };
  const declared = await repeated(signal, () => answer(api.POST('/api/v1/direct_uploads', { headers, body, signal })));
  const target = declared.data.direct_upload;
  await repeated(signal, () => put(target.url, target.headers, file, progress, signal));
  const title = file.name.replace(/\.[^.]+$/, '').slice(0, 200);
  const kept = await repeated(signal, () =>
    answer(
      api.POST('/api/v1/media', {
        headers,
        body: { file: declared.data.signed_id, title, ...(purpose ? { media_type: purpose } : {}) },
        signal,
      }),
    ),
  );
  return kept.data;
}

/** repeated returns the result of a step. It repeats the step while there is no definite answer. */
async function repeated<T>(signal: AbortSignal, step: () => Promise<T>): Promise<T> {
  for (const pause of pauses) {
    try {
      return await step();
    } catch (error) {
      if (signal.aborted || asFailure(error).answered) {
        throw error;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, pause * 1000));
    signal.throwIfAborted();
  }
  return step();
}

/** checksum returns the SHA-256 of the file in base64. */
async function checksum(file: File): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()));
  return btoa(String.fromCharCode(...digest));
}

/** put sends the bytes with XMLHttpRequest, because fetch does not report the progress of an upload. */
function put(
  url: string,
  headers: Readonly<Record<string, string>>,
  file: File,
  progress: (share: number) => void,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('PUT', url);
    for (const [name, value] of Object.entries(headers)) {
      request.setRequestHeader(name, value);
    }
    request.upload.addEventListener('progress', (event) => {
      if (event.lengthComputable) {
        progress(event.loaded / event.total);
      }
    });
    request.addEventListener('load', () => {
      if (request.status >= 200 && request.status < 300) {
        resolve();
      } else {
        reject(new Failure(request.status, 'bad_request', 'The store rejected the file.', request.status >= 500, {}));
      }
    });
    request.addEventListener('error', () => {
      reject(asFailure(null));
    });
    request.addEventListener('abort', () => {
      reject(new DOMException('The upload was cancelled.', 'AbortError'));
    });
    signal.addEventListener('abort', () => {
      request.abort();
    });
    request.send(file);
  });
}
