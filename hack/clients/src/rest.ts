// SPDX-License-Identifier: Apache-2.0

// The main job by a client that was generated from the published description: make a slideshow, change it, render it, publish it, and
// read the numbers.

import { client } from '../generated/client/client.gen.js';
import * as api from '../generated/client/index.js';
import { approve, assert, key, picture, put, service, until } from './world.js';

client.setConfig({ baseUrl: service, headers: { Authorization: `Bearer ${key}` } });

/** given takes the data out of an answer, or fails with what the service said. */
function given<T>(answer: { data?: { data: T } | undefined; error?: unknown }): T {
  assert(answer.data, JSON.stringify(answer.error));
  return answer.data.data;
}

async function done(id: number): Promise<api.Job> {
  return until(`job ${id}`, async () => {
    const job = given(await api.getJob({ path: { id } }));
    assert(job.status !== 'failed', `job ${id} failed: ${job.error?.message}`);
    return job.status === 'succeeded' ? job : undefined;
  });
}

const account = given(await api.getAccount());
assert(account.api_key.scopes.includes('content:write'), 'the key may write');
const { version, design_styles: styles } = given(await api.getCapabilities());
const style = styles[0];
assert(version && style, 'there are design styles');

const { createHash } = await import('node:crypto');
const target = given(
  await api.createDirectUpload({
    body: { filename: 'green.png', byte_size: picture.length, checksum: createHash('md5').update(picture).digest('base64'), content_type: 'image/png' },
  }),
);
await put(target.direct_upload, picture);
const item = given(await api.createMedia({ body: { file: target.signed_id, title: 'Green', tags: ['green'] } }));
assert(item.title === 'Green', 'the upload is kept under its title');

const headers = { 'Idempotency-Key': `generated-client-${Date.now()}` };
const body = { context: 'Three ways to fall asleep sooner. Keep the bedroom cool. Put the phone away. Read ten pages.', slide_count: 3 as const, design_style: style.id as NonNullable<api.CreateSlideshow['design_style']> };
const made = given(await api.createSlideshow({ body, headers }));
const again = given(await api.createSlideshow({ body, headers }));
assert(again.job_id === made.job_id, 'the same key makes the same slideshow');
const id = made.job_id;
await done(id);

const short = given(await api.getShort({ path: { id } }));
assert(short.short_type === 'SLIDESHOW' && 'slides' in short.type_data && short.type_data.slides.length === 3, 'it has three slides');
const edited = given(await api.updateSlideshow({ path: { id }, body: { title: 'Sleep sooner', caption: 'Tonight.', tags: 'sleep' } }));
assert(edited.title === 'Sleep sooner', 'it has its new title');

given(await api.renderSlideshow({ path: { id } }));
const film = await done(id);
assert(film.result?.video_url, 'the render has a film');
const bytes = await (await fetch(film.result.video_url)).arrayBuffer();
assert(bytes.byteLength > 10_000, 'the film can be fetched');

const link = given(await api.createConnectLink({ body: { platform: 'tiktok' } }));
await approve(link.authorize_url, 'maya');
const target2 = await until('the connected account', async () => {
  const { accounts } = given(await api.listConnections());
  return accounts.find((a) => a.platform === 'tiktok' && a.ready_to_post);
});
const post = { short_id: id, social_data_ids: [target2.social_data_id] };
const verdict = given(await api.validatePost({ body: post }));
assert(verdict.ok, JSON.stringify(verdict.issues));
const batch = given(await api.createPost({ body: post, headers: { 'Idempotency-Key': `post-${id}` } }));
assert(batch.overall_status === 'success', JSON.stringify(batch));
const sent = await until('the post', async () => {
  const posts = given(await api.listPosts({ query: { short_id: id } }));
  assert(!posts.some((p) => p.status === 'failed'), JSON.stringify(posts));
  return posts.find((p) => p.status === 'success' && p.post_url);
});
const refused = await api.cancelPost({ path: { id: sent.id } });
assert(!refused.data && refused.error?.errors[0]?.code === 'not_cancellable', 'what is out cannot be taken back');

const { supported_platforms: told } = given(await api.listAnalytics());
assert(told.includes('tiktok'), 'TikTok reports numbers');
const path = { social_data_id: target2.social_data_id };
// The account was read when it was connected or published to, or is within the cooldown: both are right.
const refresh = await api.refreshAnalytics({ path });
assert(refresh.data?.data.status === 'refreshing' || refresh.error?.errors[0]?.code === 'rate_limited', JSON.stringify(refresh.error));
const numbers = await until('the numbers', async () => {
  const view = given(await api.getAccountAnalytics({ path, query: { period: '24h', sort: 'view_count' } }));
  return view.account.last_refreshed_at ? view : undefined;
});
assert(numbers.summary.follower_count !== 0, 'followers are known, or unknown, and never none for want of a number');

const lost = await api.getJob({ path: { id: 999_999_999 } });
assert(lost.error?.errors[0]?.code === 'job_not_found', 'errors have their types as well');
console.log(`the generated client did the main job: ${sent.post_url}`);
