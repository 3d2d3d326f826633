// SPDX-License-Identifier: Apache-2.0

// The main workflow with the project's own TypeScript client (hack/clients/sdk), while a proxy in front of the service
// refuses and loses responses.

import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import * as sdk from '@reelops/client';
import { assert, key, picture, service } from './world.js';

/** proxy forwards requests. It refuses the first of each kind, and drops the connection instead of the second response. */
const seen = new Map<string, number>();
const keys = new Map<string, Set<string>>();
const proxy = createServer((request, response) => {
  const kind = `${request.method} ${request.url?.replace(/\/\d+/g, '/N').replace(/\?.*/, '')}`;
  const round = (seen.get(kind) ?? 0) + 1;
  seen.set(kind, round);
  const idempotency = request.headers['idempotency-key'];
  if (typeof idempotency === 'string') keys.set(kind, (keys.get(kind) ?? new Set()).add(idempotency));
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', async () => {
    if (round === 1) {
      response.writeHead(503, { 'Retry-After': '1', 'Content-Type': 'application/json' }).end('{}');
      return;
    }
    const headers = new Headers();
    for (const name of ['authorization', 'content-type', 'idempotency-key']) {
      const value = request.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const body = chunks.length > 0 ? Buffer.concat(chunks) : undefined;
    const answer = await fetch(`${service}${request.url}`, { method: request.method ?? 'GET', headers, ...(body ? { body } : {}) });
    const text = await answer.text();
    const repeatable = request.method === 'GET' || idempotency !== undefined;
    if (round === 2 && repeatable) {
      request.socket.destroy();
      return;
    }
    const retry = answer.headers.get('Retry-After');
    response.writeHead(answer.status, { 'Content-Type': 'application/json', ...(retry ? { 'Retry-After': retry } : {}) }).end(text);
  });
});
await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
const { port } = proxy.address() as AddressInfo;

const reelops = new sdk.Reelops({ url: `http://127.0.0.1:${port}/`, key });
const { client } = reelops;

// One slideshow, although the first request was refused and the response to the second was lost.
const before = await reelops.data(sdk.listShorts({ client, query: { per_page: 1 } }));
const made = await reelops.data(sdk.createSlideshow({ client, body: { context: 'Tea keeps you warm. It smells good. It costs little.', slide_count: 3 } }));
assert((seen.get('POST /api/v1/slideshows') ?? 0) >= 3, 'the request was not repeated');
assert(keys.get('POST /api/v1/slideshows')?.size === 1, 'the repetitions have other keys');
let states = 0;
const job = await reelops.wait(made.job_id, { progress: () => states++ });
assert(job.status === 'succeeded' && states > 0, 'the job did not succeed');
const ids: number[] = [];
for await (const short of reelops.each((page) => sdk.listShorts({ client, query: { page, per_page: 2 } }))) {
  ids.push(short.id);
}
assert(ids.includes(made.job_id) && new Set(ids).size === ids.length && ids.length > before.length, `the list has ${ids}`);
const short = await reelops.data(sdk.getShort({ client, path: { id: made.job_id } }));
assert(short.id === made.job_id, 'the slideshow is missing');

await reelops.data(sdk.renderSlideshow({ client, path: { id: made.job_id } }));
assert((await reelops.wait(made.job_id)).result?.video_url, 'there is no video');

const media = await reelops.upload(picture, { filename: 'green.png', contentType: 'image/png', title: 'Green' });
assert(media.title === 'Green', 'the upload has another title');

// Refusals.
const refused = await reelops.data(sdk.getJob({ client, path: { id: 999_999_999 } })).catch((e: unknown) => e);
assert(refused instanceof sdk.ReelopsError && refused.code === 'job_not_found' && refused.status === 404 && !refused.retryable, `${refused}`);
const wrong = new sdk.Reelops({ url: service, key: 'rlo_wrong' });
const denied = await wrong.data(sdk.getAccount({ client: wrong.client })).catch((e: unknown) => e);
assert(denied instanceof sdk.ReelopsError && denied.status === 401 && denied.requestId, `${denied}`);
const ended = await reelops.wait(made.job_id, { signal: AbortSignal.abort(new Error('stop')) }).catch((e: unknown) => e);
assert(ended instanceof Error && ended.message === 'stop', `${ended}`);
const away = new sdk.Reelops({ url: 'http://127.0.0.1:9', key, retries: 1 });
assert((await away.data(sdk.getAccount({ client: away.client })).catch((e: unknown) => e)) instanceof Error, 'an unreachable service is no error');

// Webhooks.
const secret = `whsec_${Buffer.from('k'.repeat(32)).toString('base64')}`;
const event = JSON.stringify({ type: 'webhook.test', timestamp: new Date().toISOString(), data: {} });
const now = new Date();
const signed = {
  'Webhook-Id': 'msg-1',
  'Webhook-Timestamp': String(Math.floor(now.getTime() / 1000)),
  'Webhook-Signature': new Webhook(secret).sign('msg-1', now, event),
};
assert(sdk.verifyWebhook(secret, event, signed).type === 'webhook.test', 'the event has another type');
let forged: unknown;
try {
  sdk.verifyWebhook(secret, `${event} `, signed);
} catch (error) {
  forged = error;
}
assert(forged instanceof Error, 'a changed event was accepted');

proxy.close();
proxy.closeAllConnections();
console.log('the TypeScript client did the main workflow');
