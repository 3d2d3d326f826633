// SPDX-License-Identifier: Apache-2.0

// Receives webhooks with the receiver of docs/guides/webhooks.md, which run.sh copies to generated/receiver.ts. It
// verifies signatures with the official library.

import { createServer, type AddressInfo } from 'node:net';
import * as api from '../generated/client/index.js';
import { client } from '../generated/client/client.gen.js';
import { assert, key, service, until } from './world.js';

client.setConfig({ baseUrl: service, headers: { Authorization: `Bearer ${key}` } });

type Event = { type: string; sequence: number; data: { job_id?: number } };

const received = new Map<string, Event>();
Object.assign(globalThis, { queue: { add: (id: string, event: Event) => received.set(id, event) } });

function find(type: string, job?: number): Event | undefined {
  return [...received.values()].find((e) => e.type === type && e.data.job_id === job);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const port = await freePort();
const url = `http://127.0.0.1:${port}/reelops`;
const created = await api.createWebhook({ body: { url } });
assert(created.data, JSON.stringify(created.error));
const { id, secret } = created.data.data;
assert(secret, 'the response that creates a webhook has the secret');
process.env.PORT = String(port);
process.env.WEBHOOK_SECRET = secret;
await import('../generated/receiver.js');

const show = await api.createSlideshow({ body: { slides: [{ heading: 'Tea' }, { heading: 'Sleep' }] } });
assert(show.data, JSON.stringify(show.error));
const job = show.data.data.job_id;
const event = await until('the event of the job', async () => find('job.succeeded', job));
assert(event.sequence >= 1, `sequence ${event.sequence}`);

// After a rotation, requests have the signatures of both secrets. The receiver has the first.
const rotated = await api.rotateWebhook({ path: { id } });
assert(rotated.data?.data.secret && rotated.data.data.secret !== secret, JSON.stringify(rotated.error));
const tested = await api.testWebhook({ path: { id } });
assert(!tested.error, JSON.stringify(tested.error));
await until('the event of the test', async () => find('webhook.test'));

const forged = await fetch(url, {
  method: 'POST',
  headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' },
  body: '{"type":"post.published"}',
});
assert(forged.status === 401 && !received.has('msg_1'), `a request with a wrong signature: ${forged.status}`);

await api.deleteWebhook({ path: { id } });
console.log('the receiver in TypeScript verified the webhooks');
process.exit(0); // the receiver listens until the process ends
