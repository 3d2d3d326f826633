// SPDX-License-Identifier: Apache-2.0

import { zipSync } from 'fflate';

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
};

/**
 * archive returns a ZIP file with the images of the URLs, named slide-01 and so on in their order. It fails if an image
 * cannot be loaded. The images are stored without compression, because their formats are compressed already.
 */
export async function archive(urls: readonly string[]): Promise<Uint8Array<ArrayBuffer>> {
  const images = await Promise.all(urls.map(load));
  const files: Record<string, Uint8Array> = {};
  images.forEach(({ extension, bytes }, i) => {
    files[`slide-${String(i + 1).padStart(2, '0')}.${extension}`] = bytes;
  });
  return zipSync(files, { level: 0 });
}

/**
 * load reads an image past the cache of the browser: a response that was cached for an <img> has no CORS headers, and
 * the browser would refuse it here.
 */
async function load(url: string, at: number): Promise<{ extension: string; bytes: Uint8Array }> {
  const failed = (cause: string) => new Error(`Slide ${String(at + 1)} could not be loaded: ${cause}.`);
  let response: Response;
  try {
    response = await fetch(url, { cache: 'no-store', credentials: 'omit' });
  } catch {
    throw failed('the file store did not answer, or does not allow downloads from this page');
  }
  if (!response.ok) {
    throw failed(`the file store answered with status ${String(response.status)}`);
  }
  const type = response.headers.get('Content-Type')?.split(';')[0]?.trim() ?? '';
  return { extension: extensions[type] ?? 'img', bytes: new Uint8Array(await response.arrayBuffer()) };
}
