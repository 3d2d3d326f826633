// SPDX-License-Identifier: Apache-2.0

// What both clients need of the world around the service: where it is, and a person who approves in a browser.

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export const service = needed('REELOPS_URL');
export const key = needed('REELOPS_KEY');

function needed(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

export function assert(truth: unknown, what: string): asserts truth {
  if (!truth) throw new Error(what);
}

/** until asks again and again until there is an answer, for two minutes, and seldom: a key has 300 calls in five minutes. */
export async function until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
  for (const end = Date.now() + 120_000; Date.now() < end; ) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 2_500));
  }
  throw new Error(`waited in vain for ${what}`);
}

/** approve does what a person does with a connect link: the sandbox's page answers as if ACCOUNT had been clicked. */
export async function approve(link: string, account: string): Promise<void> {
  const page = await fetch(`${link}&approve=${account}`);
  assert(page.ok, `approving ended with ${page.status}: ${await page.text()}`);
}

/** put brings the bytes of a declared upload. */
export async function put(target: { url: string; headers: Record<string, string> }, body: Uint8Array): Promise<void> {
  const answer = await fetch(target.url, { method: 'PUT', headers: target.headers, body: new Uint8Array(body) });
  assert(answer.ok, `the upload ended with ${answer.status}: ${await answer.text()}`);
}

/** picture is a PNG of one colour, 64 by 64 pixels. */
export const picture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAT0lEQVR42u3PQQkAAAgEsOtkJzvZ1gi+hcEKLDX9WgQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQELgsKhCEevPFSeQAAAABJRU5ErkJggg==',
  'base64',
);

/** clip makes a film of four seconds with a tone, as somebody's phone would. */
export async function clip(): Promise<Buffer> {
  const path = 'out/clip.mp4';
  await promisify(execFile)('ffmpeg', [
    '-y', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=360x640:rate=30:duration=4', '-f', 'lavfi', '-i', 'sine=frequency=300:duration=4',
    '-pix_fmt', 'yuv420p', '-shortest', path,
  ]);
  return readFile(path);
}
