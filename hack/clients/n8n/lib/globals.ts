// SPDX-License-Identifier: MIT

// Takes the place of the global setTimeout in the client, which community nodes may not use.

import { sleep } from 'n8n-workflow';

/** setTimeout calls a function after a number of milliseconds. */
export function setTimeout(callback: () => void, ms: number): void {
  void sleep(ms).then(callback);
}
