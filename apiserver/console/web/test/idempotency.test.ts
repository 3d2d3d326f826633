// SPDX-License-Identifier: Apache-2.0

import { equal, notEqual, rejects } from 'node:assert/strict';
import { test } from 'node:test';

import { Failure } from '../src/api/errors';
import { idempotency } from '../src/api/idempotency';

/** keyOf sends a body and returns the key. The request fails with the error, unless it is null. */
async function keyOf(once: ReturnType<typeof idempotency>, body: object, error: Error | null): Promise<string> {
  let used = '';
  const sending = once(body, (key) => {
    used = key;
    return error ? Promise.reject(error) : Promise.resolve(null);
  });
  await (error ? rejects(sending) : sending);
  return used;
}

const lost = new TypeError('Failed to fetch');
const inFlight = new Failure(409, 'idempotency_conflict', '', false, { in_flight: true });
const rejected = new Failure(422, 'validation_failed', '', false, {});

test('a request with an unknown outcome is repeated with its key', async () => {
  const once = idempotency();
  const first = await keyOf(once, { a: 1 }, lost);
  equal(await keyOf(once, { a: 1 }, inFlight), first);
  equal(await keyOf(once, { a: 1 }, null), first);
});

test('another body gets another key', async () => {
  const once = idempotency();
  const first = await keyOf(once, { a: 1 }, lost);
  notEqual(await keyOf(once, { a: 2 }, lost), first);
});

test('a definite answer ends the use of the key', async () => {
  const once = idempotency();
  const first = await keyOf(once, { a: 1 }, rejected);
  const second = await keyOf(once, { a: 1 }, null);
  notEqual(second, first);
  notEqual(await keyOf(once, { a: 1 }, null), second);
});
