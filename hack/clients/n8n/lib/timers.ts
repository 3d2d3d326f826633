// SPDX-License-Identifier: MIT

// Takes the place of node:timers/promises in the client: community nodes may import n8n's timer only.

import { sleep } from 'n8n-workflow';

/** The longest pause that ignores an aborted signal, in milliseconds. */
const step = 1000;

/** setTimeout waits for a number of milliseconds. It throws the reason of an aborted signal within a second. */
export async function setTimeout<T>(
  ms: number,
  value?: T,
  options: { signal?: AbortSignal } = {},
): Promise<T | undefined> {
  for (let left = ms; left > 0; left -= step) {
    options.signal?.throwIfAborted();
    await sleep(Math.min(left, step));
  }
  options.signal?.throwIfAborted();
  return value;
}
