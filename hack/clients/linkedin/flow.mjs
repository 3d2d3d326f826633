// SPDX-License-Identifier: Apache-2.0

// The whole flow of an application that publishes to LinkedIn and reads statistics: LinkedIn's own client against the
// sandbox.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { AuthClient, RestliClient } from 'linkedin-api-client';

const sandbox = needed('LINKEDIN_URL');
const versionString = '202607';
const redirectUrl = 'http://127.0.0.1:9/linkedin/callback';
const scopes = [
  'openid', 'profile', 'w_member_social', 'r_basicprofile', 'w_organization_social', 'r_organization_social',
  'rw_organization_admin', 'r_member_postAnalytics', 'r_member_profileAnalytics',
];

function needed(name) {
  assert.ok(process.env[name], `${name} is not set`);
  return process.env[name];
}

const inSandbox = (address) => address.replace(/^https:\/\/(www|api)\.linkedin\.com/, sandbox);

// The client's addresses are constants. AuthClient uses the client's axios, RestliClient an instance of it.
const auth = new AuthClient({ clientId: needed('CLIENT_ID'), clientSecret: needed('CLIENT_SECRET'), redirectUrl });
const restli = new RestliClient();
const sent = []; // headers of all requests
const ofClient = createRequire(createRequire(import.meta.url).resolve('linkedin-api-client'));
for (const axios of [ofClient('axios'), restli.axiosInstance]) {
  axios.interceptors.request.use((config) => {
    sent.push(config.headers);
    return { ...config, url: inSandbox(config.url), proxy: false };
  });
}

/** refused returns the status and the body of an error response. */
async function refused(call) {
  try {
    await call;
  } catch (e) {
    if (e.response) return { status: e.response.status, ...e.response.data };
    throw e;
  }
  throw new assert.AssertionError({ message: 'the call was accepted' });
}

/** inputError returns the code and the text of a refused input. LinkedIn nests both, with no code at the top. */
async function inputError(call) {
  const { status, code, errorDetails } = await refused(call);
  assert.equal(code, undefined);
  const { code: nested, description } = errorDetails.inputErrors[0];
  return { status, code: nested, description };
}

/** until repeats a call until it returns a value. The sandbox's clock advances with the requests, not with the time. */
async function until(what, call) {
  for (let i = 0; i < 1000; i++) {
    const value = await call();
    if (value !== undefined) return value;
  }
  assert.fail(`no ${what} after 1000 calls`);
}

// ---- Login

/** approve opens the consent page as a member who approves, and returns the query of the redirect. */
async function approve(member, state) {
  const link = auth.generateMemberAuthorizationUrl(scopes, state);
  // The client does not encode the values, and joins scopes with commas.
  assert.ok(link.includes(`redirect_uri=${redirectUrl}`) && link.includes(`scope=${scopes.join(',')}`), link);
  const page = await fetch(`${inSandbox(link)}&approve=${member}`, { redirect: 'manual' });
  assert.equal(page.status, 302, await page.text());
  const back = new URL(page.headers.get('location'));
  assert.equal(back.origin + back.pathname, redirectUrl);
  return Object.fromEntries(back.searchParams);
}

const { code, state } = await approve('maya', 'a-state');
assert.equal(state, 'a-state');
const first = await auth.exchangeAuthCodeForAccessToken(code);
assert.deepEqual(first.scope.split(','), scopes);
assert.deepEqual([first.expires_in > 5_000_000, first.refresh_token_expires_in > 31_000_000], [true, true]);
const again = await refused(auth.exchangeAuthCodeForAccessToken(code));
assert.deepEqual([again.status, again.error], [401, 'invalid_request']);

const inspected = (await auth.introspectAccessToken(first.access_token)).data;
assert.deepEqual([inspected.active, inspected.status, inspected.auth_type], [true, 'active', '3L']);
assert.deepEqual([inspected.client_id, inspected.scope.split(',')], [auth.clientId, scopes]);
assert.ok(inspected.expires_at > inspected.created_at);

const second = await auth.exchangeRefreshTokenForAccessToken(first.refresh_token);
assert.notEqual(second.access_token, first.access_token);
const dead = await refused(auth.exchangeRefreshTokenForAccessToken('AQX-none'));
assert.deepEqual([dead.status, dead.error], [400, 'invalid_request']);

const accessToken = second.access_token;
const as = { accessToken, versionString };
const v2 = { accessToken };

// ---- Profile and pages

const user = (await restli.get({ resourcePath: '/userinfo', ...v2 })).data;
const me = (await restli.get({ resourcePath: '/me', ...as })).data;
const old = (await restli.get({ resourcePath: '/me', ...v2 })).data;
assert.ok(user.sub && user.name);
assert.deepEqual([me.id, old.id], [user.sub, user.sub]);
const member = `urn:li:person:${me.id}`;

/** pagesOf reads all parts of the list of roles, and returns the pages that the member administers. */
async function pagesOf(resourcePath, field, options) {
  const all = [];
  for (let total = 1; all.length < total; ) {
    const queryParams = { state: 'APPROVED', start: all.length, count: 100 };
    const { data } = await restli.finder({ resourcePath, finderName: 'roleAssignee', queryParams, ...options });
    assert.ok(data.elements.length > 0);
    all.push(...data.elements);
    total = data.paging.total;
  }
  assert.ok(all.length > 100 && all.every((a) => a.roleAssignee === member), 'the list has several parts');
  return all.filter((a) => a.role === 'ADMINISTRATOR').map((a) => a[field]);
}

const [page, ...more] = await pagesOf('/organizationAcls', 'organization', as);
assert.deepEqual([page, ...more], await pagesOf('/organizationalEntityAcls', 'organizationalTarget', v2));
assert.equal(more.length, 0);
const id = page.replace('urn:li:organization:', '');
const { data: organization } = await restli.get({ resourcePath: '/organizations/{id}', pathKeys: { id }, ...as });
assert.ok(organization.localizedName && organization.vanityName);

// ---- Uploads

/** media makes a picture, and a video of more than one part. */
async function media() {
  const dir = await mkdtemp(join(tmpdir(), 'reelops-linkedin-'));
  try {
    const source = ['-y', '-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=size=540x960:rate=30:duration=4,noise=alls=40'];
    const codec = ['-c:v', 'libx264', '-preset', 'ultrafast', '-qp', '12', '-pix_fmt', 'yuv420p'];
    const outputs = [...codec, join(dir, 'video.mp4'), '-frames:v', '1', join(dir, 'picture.png')];
    await promisify(execFile)('ffmpeg', [...source, ...outputs]);
    return [await readFile(join(dir, 'picture.png')), await readFile(join(dir, 'video.mp4'))];
  } finally {
    await rm(dir, { recursive: true });
  }
}

const [picture, video] = await media();

/** put sends bytes to an upload address, and returns the ETag of the answer. */
async function put(address, body) {
  const headers = { Authorization: `Bearer ${accessToken}`, 'Content-Type': 'application/octet-stream' };
  const { status, headers: answered } = await restli.axiosInstance.put(address, body, { headers });
  assert.equal(status, 201);
  return answered.etag;
}

async function initialize(resourcePath, request) {
  const data = { initializeUploadRequest: request };
  return (await restli.action({ resourcePath, actionName: 'initializeUpload', data, ...as })).data.value;
}

async function image(owner) {
  const { image: urn, uploadUrl, uploadUrlExpiresAt } = await initialize('/images', { owner });
  assert.ok(uploadUrlExpiresAt > Date.now());
  await put(uploadUrl, picture);
  return urn;
}

async function film(owner) {
  const opened = await initialize('/videos', {
    owner, fileSizeBytes: video.length, uploadCaptions: false, uploadThumbnail: false,
  });
  assert.ok(opened.uploadInstructions.length > 1 && opened.uploadUrlsExpireAt > Date.now());
  assert.equal(await status('/videos', opened.video), 'WAITING_UPLOAD');
  const uploadedPartIds = [];
  for (const { firstByte, lastByte, uploadUrl } of opened.uploadInstructions) {
    uploadedPartIds.push(await put(uploadUrl, video.subarray(firstByte, lastByte + 1)));
  }
  const finalize = (parts) => restli.action({
    resourcePath: '/videos', actionName: 'finalizeUpload', ...as,
    data: { finalizeUploadRequest: { video: opened.video, uploadToken: opened.uploadToken, uploadedPartIds: parts } },
  });
  const mixed = await inputError(finalize(uploadedPartIds.toReversed()));
  assert.deepEqual([mixed.status, mixed.code], [400, 'UPDATING_ASSET_FAILED']);
  await finalize(uploadedPartIds);
  assert.equal(await status('/videos', opened.video), 'PROCESSING');
  return opened.video;
}

async function status(resourcePath, urn) {
  return (await restli.get({ resourcePath: `${resourcePath}/{urn}`, pathKeys: { urn }, ...as })).data.status;
}

async function available(resourcePath, urn) {
  return until(`available ${urn}`, async () => {
    const now = await status(resourcePath, urn);
    assert.notEqual(now, 'PROCESSING_FAILED');
    return now === 'AVAILABLE' ? urn : undefined;
  });
}

// ---- Posts

const entityOf = (author, commentary, content) => ({
  author, commentary, content, visibility: 'PUBLIC', lifecycleState: 'PUBLISHED', isReshareDisabledByAuthor: false,
  distribution: { feedDistribution: 'MAIN_FEED', targetEntities: [], thirdPartyDistributionChannels: [] },
});

const create = (author, commentary, content) =>
  restli.create({ resourcePath: '/posts', entity: entityOf(author, commentary, content), ...as });

/** publish creates a post, and returns its URN. */
async function publish(author, commentary, content) {
  const { status, createdEntityId } = await create(author, commentary, content);
  assert.equal(status, 201);
  assert.match(createdEntityId, /^urn:li:(share|ugcPost):\d+$/);
  return createdEntityId;
}

const one = (urn) => ({ resourcePath: '/posts/{urn}', pathKeys: { urn }, ...as });
const read = async (urn) => (await restli.get(one(urn))).data;

const early = await image(page);
const waiting = await inputError(create(page, 'Too early', { media: { id: early } }));
assert.deepEqual([waiting.status, waiting.code], [400, 'MEDIA_ASSET_WAITING_UPLOAD']);
await available('/images', early);
const shown = await publish(page, 'One picture', { media: { id: early, altText: 'A test image' } });

const pageFilm = await available('/videos', await film(page));
const played = await publish(page, 'One video', { media: { id: pageFilm, title: 'A video' } });

// A member's token cannot read the status of images, but of videos.
const own = [await image(member), await image(member)];
const unread = await refused(status('/images', own[0]));
assert.deepEqual([unread.status, unread.code], [403, 'ACCESS_DENIED']);
const album = { multiImage: { images: own.map((id) => ({ id, altText: 'Another' })) } };
const shared = await until('post of two images', async () => {
  const answer = await create(member, 'Two pictures', album).catch((e) => e.response);
  if (answer.status === 201) return answer.createdEntityId;
  assert.equal(answer.data.errorDetails.inputErrors[0].code, 'MEDIA_ASSET_WAITING_UPLOAD');
});
const watched = await publish(member, 'My video', { media: { id: await available('/videos', await film(member)) } });
const kinds = [shown, played, shared, watched].map((urn) => urn.split(':')[2]);
assert.deepEqual(kinds, ['share', 'ugcPost', 'share', 'ugcPost']);

const { author, commentary, content, lifecycleState } = await read(played);
assert.deepEqual([author, commentary, content.media.id, lifecycleState], [page, 'One video', pageFilm, 'PUBLISHED']);

const list = async (of) => {
  const queryParams = { author: of, start: 0, count: 20, sortBy: 'CREATED' };
  return (await restli.finder({ resourcePath: '/posts', finderName: 'author', queryParams, ...as })).data.elements;
};
assert.deepEqual((await list(page)).map((p) => p.id), [played, shown]); // newest first
const closed = await refused(list(member));
assert.deepEqual([closed.status, closed.code], [400, 'ILLEGAL_ARGUMENT']);
assert.equal((await refused(read(shared))).status, 403);

assert.equal((await restli.partialUpdate({ ...one(shown), patchSetObject: { commentary: 'Set' } })).status, 204);
assert.equal((await read(shown)).commentary, 'Set');
const originalEntity = await read(shown);
const modifiedEntity = { ...originalEntity, commentary: 'Compared' };
await restli.partialUpdate({ ...one(shown), originalEntity, modifiedEntity });
assert.equal((await read(shown)).commentary, 'Compared');

// ---- Comments

const comments = { resourcePath: '/socialActions/{urn}/comments', pathKeys: { urn: played }, ...as };
const entity = { actor: page, object: played, message: { text: 'First, with a link: https://example.com/' } };
const commented = await restli.create({ ...comments, entity });
assert.equal(commented.status, 201);
const { elements: said } = (await restli.getAll({ ...comments, queryParams: { start: 0, count: 10 } })).data;
assert.deepEqual(said.map((c) => [c.actor, c.message.text]), [[page, entity.message.text]]);
assert.equal(commented.data.id, said[0].id);
assert.ok(commented.createdEntityId.includes(said[0].id)); // the header's value is the id, or the URN with the id
const silent = await inputError(restli.create({ ...comments, entity: { ...entity, message: { text: '' } } }));
assert.equal(silent.status, 400);

// ---- Statistics

const elements = async (resourcePath, finderName, queryParams) =>
  (await restli.finder({ resourcePath, finderName, queryParams, ...as })).data.elements;
const day = 86_400_000;
const date = (ago) => {
  const at = new Date(Date.now() - ago * day);
  return { year: at.getUTCFullYear(), month: at.getUTCMonth() + 1, day: at.getUTCDate() };
};

const size = { resourcePath: '/networkSizes/{page}', pathKeys: { page }, ...as };
const followers = await restli.get({ ...size, queryParams: { edgeType: 'COMPANY_FOLLOWED_BY_MEMBER' } });
assert.ok(followers.data.firstDegreeSize > 0);
const ofPage = ['/organizationalEntityShareStatistics', 'organizationalEntity'];
const [total] = await elements(...ofPage, { organizationalEntity: page });
const parts = await elements(...ofPage, { organizationalEntity: page, shares: [shown], ugcPosts: [played] });
assert.deepEqual(parts.map((e) => e.share ?? e.ugcPost).toSorted(), [shown, played].toSorted());
assert.ok([total, ...parts].every((e) => e.totalShareStatistics.impressionCount > 0));
const gains = await elements('/organizationalEntityFollowerStatistics', 'organizationalEntity', {
  organizationalEntity: page,
  timeIntervals: { timeRange: { start: Date.now() - 9 * day, end: Date.now() - 4 * day }, timeGranularityType: 'DAY' },
});
assert.ok(gains.length >= 5 && gains.every((e) => e.followerGains.organicFollowerGain > 0));
const [views] = await elements('/organizationPageStatistics', 'organization', { organization: page });
assert.ok(views.totalPageStatistics.views.allPageViews.pageViews > 0);
const [plays] = await elements('/videoAnalytics', 'entity', { entity: played, type: 'VIDEO_VIEW', aggregation: 'ALL' });
assert.ok(plays.value > 0);
const metadata = await restli.get({ resourcePath: '/socialMetadata/{played}', pathKeys: { played }, ...as });
assert.equal(metadata.data.id, played);

const impressions = { aggregation: 'TOTAL', queryType: 'IMPRESSION' };
for (const [key, urn] of [['share', shared], ['ugc', watched]]) {
  const [seen] = await elements('/memberCreatorPostAnalytics', 'entity', { entity: { [key]: urn }, ...impressions });
  assert.ok(seen.count > 0 && seen.metricType === 'IMPRESSION');
}
const [all] = await elements('/memberCreatorPostAnalytics', 'me', impressions);
assert.ok(all.count > 0);
const [time] = await elements('/memberCreatorVideoAnalytics', 'entity', {
  entity: { ugc: watched }, aggregation: 'TOTAL', queryType: 'VIDEO_WATCH_TIME',
});
assert.ok(time.count > 0);
const [following] = await elements('/memberFollowersCount', 'me', {});
assert.ok(following.memberFollowersCount > 0);
const days = await elements('/memberFollowersCount', 'dateRange', { dateRange: { start: date(5), end: date(2) } });
assert.equal(days.length, 3);

// ---- Errors

const long = await inputError(create(page, 'a'.repeat(3001), { media: { id: early } }));
assert.deepEqual([long.status, long.code], [400, 'FIELD_ARRAY_SIZE_TOO_HIGH']);
assert.match(long.description, /text length \(3001 characters\) exceeded the maximum allowed \(3000 characters\)/);
const twice = await inputError(create(page, 'One video', { media: { id: pageFilm } }));
assert.deepEqual([twice.status, twice.code], [422, 'DUPLICATE_POST']);
assert.ok(twice.description.endsWith(played));
const foreign = await inputError(create(page, 'Of another', { media: { id: own[0] } }));
assert.deepEqual([foreign.status, foreign.code], [400, 'INVALID_URN_ID']);
const missing = await refused(read('urn:li:share:1'));
assert.deepEqual([missing.status, missing.code], [404, 'NOT_FOUND']);
const ended = await refused(restli.get({ resourcePath: '/me', accessToken, versionString: '202401' }));
assert.deepEqual([ended.status, ended.code], [426, 'NONEXISTENT_VERSION']);
const stranger = await refused(restli.get({ resourcePath: '/me', accessToken: 'AQV-none', versionString }));
assert.deepEqual([stranger.status, stranger.code], [401, 'INVALID_ACCESS_TOKEN']);

// ---- Removal. To delete a post again is no error.

for (const urn of [shown, shown, shared]) {
  assert.equal((await restli.delete(one(urn))).status, 204);
}
assert.deepEqual((await list(page)).map((p) => p.id), [played]);

const methods = new Set(sent.map((h) => h['X-RestLi-Method']).filter(Boolean));
assert.deepEqual([...methods].toSorted(), ['action', 'create', 'delete', 'finder', 'get', 'get_all', 'partial_update']);
console.log("LinkedIn's client did the whole flow");
