// SPDX-License-Identifier: Apache-2.0

import { randomKey } from '../lib/text';
import { asFailure } from './errors';

/** Once sends a request with an Idempotency-Key. */
export type Once = <Result>(body: object, send: (key: string) => Promise<Result>) => Promise<Result>;

/**
 * idempotency returns a function that sends a request. The key stays the same for the same body until the server gave a
 * definite answer, so that a repeated request has its effect once. Another body gets another key.
 */
export function idempotency(): Once {
  let pending: { readonly body: string; readonly key: string } | null = null;
  return async (body, send) => {
    const text = JSON.stringify(body);
    const sent = pending?.body === text ? pending : { body: text, key: randomKey() };
    pending = sent;
    let settled = true;
    try {
      return await send(sent.key);
    } catch (error) {
      settled = asFailure(error).answered;
      throw error;
    } finally {
      if (settled && pending === sent) {
        pending = null;
      }
    }
  };
}
