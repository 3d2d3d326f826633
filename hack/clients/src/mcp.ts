// SPDX-License-Identifier: Apache-2.0

// The whole job by the official SDK of the Model Context Protocol: every tool, both resources' kinds and the prompts. The SDK holds every
// result against the schema that its tool published.

import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { approve, assert, clip, key, picture, put, service, until } from './world.js';

// biome-ignore lint: an agent reads JSON without types.
type Any = any;

const client = new Client({ name: 'reelops-check', version: '1.0.0' });
await client.connect(new StreamableHTTPClientTransport(new URL(`${service}/mcp`), { requestInit: { headers: { Authorization: `Bearer ${key}` } } }));
const { tools } = await client.listTools();
assert(tools.length === 18, `there are ${tools.length} tools`);
for (const tool of tools) {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {};
  const hints = [readOnlyHint, destructiveHint, idempotentHint, openWorldHint];
  assert(tool.title && tool.description && tool.outputSchema && hints.every((h) => typeof h === 'boolean'), `${tool.name} is not described whole`);
}

const called = new Set<string>();

/** call gives the data of a tool's success; failed the error of one that must fail. */
async function call(name: string, args: Record<string, unknown> = {}): Promise<Any> {
  const { result, envelope } = await ask(name, args);
  assert(!result.isError && envelope.success, `${name}: ${JSON.stringify(envelope)}`);
  return envelope.data;
}

async function failed(name: string, args: Record<string, unknown>): Promise<Any> {
  const { result, envelope } = await ask(name, args);
  assert(result.isError && !envelope.success, `${name} did not fail: ${JSON.stringify(envelope)}`);
  return envelope.errors[0];
}

async function ask(name: string, args: Record<string, unknown>): Promise<{ result: Any; envelope: Any }> {
  called.add(name);
  const result: Any = await client.callTool({ name, arguments: args });
  assert(JSON.stringify(JSON.parse(result.content[0].text)) === JSON.stringify(result.structuredContent), `${name} says two things`);
  return { result, envelope: result.structuredContent };
}

async function done(job_id: number): Promise<Any> {
  return until(`job ${job_id}`, async () => {
    const job = await call('get_job', { job_id });
    assert(job.status !== 'failed', JSON.stringify(job.error));
    return job.status === 'succeeded' ? job : undefined;
  });
}

await call('get_account');
for (const part of ['brands', 'brand']) await call('get_account', { include: [part] });
assert((await call('get_capabilities')).version, 'the capabilities have a version');
await call('get_capabilities', { error_code: 'rate_limited' });

/** upload brings a file in three steps: it is declared, its bytes are sent, and it is kept. */
async function upload(bytes: Buffer, filename: string, content_type: string, as: Record<string, unknown>): Promise<Any> {
  const checksum = createHash('md5').update(bytes).digest('base64');
  const declared = await call('upload_media', { filename, byte_size: bytes.length, checksum, content_type });
  await put(declared.direct_upload, bytes);
  const kept = await call('upload_media', { signed_id: declared.signed_id, ...as });
  return until(`${filename} to be looked at`, async () => {
    const item = (await call('search_media')).find((m: Any) => m.id === kept.id);
    assert(item.status !== 'failed', JSON.stringify(item));
    return item.status === 'ready' ? item : undefined;
  });
}

await upload(picture, 'green.png', 'image/png', { title: 'Green', tags: ['green'] });
const avatar = await upload(await clip(), 'clip.mp4', 'video/mp4', { title: 'Somebody', media_type: 'avatar_video' });
await call('search_media', { library: 'packs' });
await call('search_media', { library: 'music' });
await call('search_media', { source: 'stock', query: 'calm evening by the sea' });

const wish = { context: 'Three ways to fall asleep sooner. Keep the bedroom cool. Put the phone away. Read ten pages.', slide_count: 3, idempotency_key: `mcp-${Date.now()}` };
const made = await call('create_slideshow', wish);
assert((await call('create_slideshow', wish)).job_id === made.job_id, 'the same key makes the same slideshow');
const short_id: number = made.job_id;
await done(short_id);
const short = await call('list_shorts', { short_id });
const [slide] = short.type_data.slides;
slide.textOverlays[0].text = 'Sleep sooner';
const edited = await call('update_slideshow', { short_id, title: 'Sleep sooner', slides: [{ id: slide.id, textOverlays: slide.textOverlays }] });
assert(edited.title === 'Sleep sooner', 'it has its new title');
await done(short_id);
await call('render_slideshow', { short_id, idempotency_key: `render-${short_id}` });
assert((await done(short_id)).result.video_url, 'the render has a film');

const video = await call('create_video', { avatar_media_id: avatar.id, hook_text: 'Sleep sooner tonight.' });
assert((await done(video.job_id)).result.video_url, 'the video has a film');

const link = await call('create_connect_link', { platform: 'tiktok' });
await approve(link.authorize_url, 'maya');
const account = await until('the connected account', async () =>
  (await call('list_connections')).accounts.find((a: Any) => a.platform === 'tiktok' && a.ready_to_post),
);
const { social_data_id } = account;
const post = { short_id, social_data_ids: [social_data_id] };
assert((await call('validate_post', post)).ok, 'it may be posted');
const later = await call('create_post', { ...post, scheduled_at: new Date(Date.now() + 3_600_000).toISOString(), idempotency_key: `later-${short_id}` });
const cancelled = await call('cancel_post', { post_id: later.results[0].share_id });
assert(cancelled.status === 'cancelled', 'a scheduled post can be cancelled');
await call('create_post', { ...post, idempotency_key: `now-${short_id}` });
const sent = await until('the post', async () => (await call('list_posts', { short_id })).find((p: Any) => p.status === 'success' && p.post_url));
assert((await failed('cancel_post', { post_id: sent.id })).code === 'not_cancellable', 'what is out cannot be taken back');

assert((await call('get_analytics')).supported_platforms.includes('tiktok'), 'TikTok reports numbers');
const { envelope } = await ask('refresh_analytics', { social_data_id }); // within the cooldown after the service's own it is refused
assert(envelope.success || envelope.errors[0].code === 'rate_limited', JSON.stringify(envelope));
await until('the numbers', async () => ((await call('get_analytics', { social_data_id, period: '24h' })).account.last_refreshed_at ? true : undefined));

assert((await failed('get_job', { job_id: 999_999_999 })).code === 'job_not_found', 'errors are those of the interface');
assert((await failed('create_slideshow', { slide_count: 99 })).code === 'validation_failed', 'and so are those of arguments');

const { resources } = await client.listResources();
assert(resources.some((r) => r.uri === 'reelops://capabilities'), 'the capabilities are a resource');
for (const uri of ['reelops://capabilities', 'reelops://errors/rate_limited', `reelops://shorts/${short_id}`]) {
  const { contents } = await client.readResource({ uri });
  assert(contents.length === 1, `${uri} is there`);
}
const { prompts } = await client.listPrompts();
assert(prompts.map((p) => p.name).sort().join() === 'make_slideshow,publish_short', 'there are two prompts');

const uncalled = tools.map((t) => t.name).filter((name) => !called.has(name));
assert(uncalled.length === 0, `nobody called ${uncalled}`);
await client.close();
// For the inspector, which calls every tool once more.
await writeFile('out/ids.json', JSON.stringify({ short_id, social_data_id, post_id: sent.id, avatar_media_id: avatar.id }));
console.log(`the SDK called all ${called.size} tools: ${sent.post_url}`);
