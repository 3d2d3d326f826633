// SPDX-License-Identifier: Apache-2.0

import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import { unzipSync } from 'fflate';

import { archive } from '../src/screens/short/archive';

/** serve makes fetch return the responses in order of the paths. */
function serve(responses: Readonly<Record<string, () => Response>>): void {
  globalThis.fetch = ((url: string) => {
    const found = responses[url];
    return found ? Promise.resolve(found()) : Promise.reject(new TypeError('Failed to fetch'));
  }) as typeof fetch;
}

function image(type: string, ...bytes: number[]): () => Response {
  return () => new Response(new Uint8Array(bytes), { headers: { 'Content-Type': type } });
}

test('the slides are in one archive, named in their order', async () => {
  serve({ '/b': image('image/jpeg', 1, 2, 3), '/a': image('image/png; x=y', 4) });
  const files = unzipSync(await archive(['/b', '/a']));
  deepEqual(Object.keys(files), ['slide-01.jpg', 'slide-02.png']);
  deepEqual([...(files['slide-01.jpg'] ?? [])], [1, 2, 3]);
  deepEqual([...(files['slide-02.png'] ?? [])], [4]);
});

test('a slide that cannot be loaded fails the archive', async () => {
  serve({ '/a': image('image/jpeg', 1), '/gone': () => new Response('', { status: 404 }) });
  const reason = (urls: readonly string[]) => archive(urls).then(() => 'none', (error: unknown) => String(error));
  equal(
    await reason(['/a', '/gone']),
    'Error: Slide 2 could not be loaded: the file store answered with status 404.',
  );
  equal((await reason(['/offline'])).includes('Slide 1 could not be loaded'), true);
});
