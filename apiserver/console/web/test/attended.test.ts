// SPDX-License-Identifier: Apache-2.0

import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';

const listeners = new Map<string, () => void>();
let now = 1_000_000;

Object.assign(globalThis, {
  addEventListener: (event: string, listener: () => void) => listeners.set(event, listener),
});
Date.now = () => now;

const { automatic, watchUser } = await import('../src/api/attended');

test('requests are marked a minute after the last action of the user', () => {
  watchUser();
  deepEqual(automatic(), {});
  now += 59_000;
  deepEqual(automatic(), {});
  now += 1000;
  deepEqual(automatic(), { 'X-Reelops-Automatic': 'true' });
  listeners.get('keydown')?.();
  deepEqual(automatic(), {});
});
