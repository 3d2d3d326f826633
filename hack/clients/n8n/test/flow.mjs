// SPDX-License-Identifier: MIT

// Runs workflows of a real n8n against a running service: from a prompt to a published post, and from the event of the
// post to the webhook trigger.
//   REELOPS_URL=http://127.0.0.1:8080 REELOPS_KEY=rlo_... node test/flow.mjs out/n8n-nodes-reelops-*.tgz

import { createConnectLink, getPost, listConnections, listMedia, listWebhooks, Reelops } from '@reelops/client';
import { assert, N8n, outputs, until } from './n8n.mjs';

const { REELOPS_URL: url, REELOPS_KEY: apiKey } = process.env;
assert(url && apiKey, 'REELOPS_URL and REELOPS_KEY are required');
const reelops = new Reelops({ url, key: apiKey });
const { client } = reelops;

const nodeType = 'n8n-nodes-reelops.reelops';
let credentials;

/** chain returns a workflow whose nodes follow each other. */
function chain(name, ...nodes) {
  const placed = nodes.map((node, i) => ({ id: `${i}`, typeVersion: 1, position: [200 * i, 0], ...node }));
  const connections = Object.fromEntries(
    placed.slice(1).map((node, i) => [placed[i].name, { main: [[{ node: node.name, type: 'main', index: 0 }]] }]),
  );
  return { name, nodes: placed, connections, settings: { executionOrder: 'v1', saveDataSuccessExecution: 'all' } };
}

/** start is a node that starts a workflow with a request. */
const start = (path) => ({
  name: 'Request',
  type: 'n8n-nodes-base.webhook',
  typeVersion: 2,
  webhookId: path,
  parameters: { httpMethod: 'POST', path },
});

const node = (name, resource, operation, parameters, more = {}) => ({
  name,
  type: nodeType,
  credentials,
  parameters: { resource, operation, ...parameters },
  ...more,
});

const n8n = await N8n.start(process.argv[2]);
let problem;
try {
  await run();
} catch (error) {
  problem = error;
}
await n8n.stop(problem);
if (problem) throw problem;
console.log('n8n ran the workflow from a prompt to a post and back');

async function activate(workflow) {
  const made = await n8n.call('POST', '/api/v1/workflows', workflow);
  await n8n.call('POST', `/api/v1/workflows/${made.id}/activate`, {});
  return made;
}

async function testOf(key) {
  const made = await n8n.call('POST', '/api/v1/credentials', {
    name: 'Reelops',
    type: 'reelopsApi',
    data: { url: `${url}/`, apiKey: key },
  });
  return { id: made.id, ...(await n8n.call('POST', `/api/v1/credentials/${made.id}/test`)) };
}

async function choices(methodName) {
  const { data } = await n8n.call('POST', '/rest/dynamic-node-parameters/options', {
    path: 'parameters.fields',
    methodName,
    currentNodeParameters: {},
    nodeTypeAndVersion: { name: nodeType, version: 1 },
    credentials,
  });
  return data;
}

async function run() {
  const { status } = await testOf('rlo_wrong');
  assert(status === 'Error', `the test of a wrong key: ${status}`);
  const credential = await testOf(apiKey);
  assert(credential.status === 'OK', `the test of the credentials: ${JSON.stringify(credential)}`);
  credentials = { reelopsApi: { id: credential.id, name: 'Reelops' } };

  const link = await reelops.data(createConnectLink({ client, body: { platform: 'tiktok' } }));
  const approved = await fetch(`${link.authorize_url}&approve=maya`);
  assert(approved.ok, `connecting an account: ${approved.status}`);
  const account = await until('the connected account', async () => {
    const { accounts } = await reelops.data(listConnections({ client }));
    return accounts.find((one) => one.platform === 'tiktok' && one.ready_to_post);
  });
  const [style] = await choices('getDesignStyles');
  assert(style?.value, 'there are no design styles');
  assert((await choices('getImageWorlds')).length > 0, 'there are no image worlds');
  assert(
    (await choices('getPlatforms')).some((one) => one.value === 'tiktok'),
    'TikTok is missing',
  );
  assert(
    (await choices('getAccounts')).some((one) => one.value === account.social_data_id),
    'the account is missing',
  );

  const before = await webhooks();
  const published = await activate(
    chain(
      'Published',
      {
        name: 'Event',
        type: 'n8n-nodes-reelops.reelopsTrigger',
        credentials,
        webhookId: 'reelops-events',
        parameters: { events: ['post.published'] },
      },
      node('Post', 'post', 'get', { postId: '={{ $json.data.id }}' }),
    ),
  );
  const webhook = await until('the webhook of the trigger', async () =>
    (await webhooks()).find((one) => one.url.startsWith(n8n.url) && !before.some((old) => old.id === one.id)),
  );
  assert(webhook.events.join() === 'post.published', `the webhook has the events ${webhook.events}`);

  const campaign = await activate(
    chain(
      'Prompt to post',
      start('prompt'),
      node('Create', 'slideshow', 'create', {
        prompt: '={{ $json.body.prompt }}',
        fields: { slide_count: 3, design_style: style.value, json: '{"image_source": {"type": "stock"}}' },
      }),
      node('Slides', 'job', 'wait', { jobId: '={{ $json.job_id }}', timeout: 5 }),
      node('Edit', 'slideshow', 'edit', {
        shortId: '={{ $json.job_id }}',
        fields: { title: 'From n8n', caption: 'Written in n8n', tags: 'n8n' },
      }),
      node('Render', 'slideshow', 'render', { shortId: '={{ $json.id }}' }),
      node('Video', 'job', 'wait', { jobId: '={{ $json.job_id }}', timeout: 5 }),
      node('Publish', 'post', 'publish', {
        shortId: '={{ $json.job_id }}',
        platforms: [],
        accounts: [account.social_data_id],
        fields: { media: 'video' },
      }),
      node('Schedule', 'post', 'schedule', {
        shortId: '={{ $json.short_id }}',
        platforms: ['tiktok'],
        accounts: [],
        scheduledAt: '={{ $now.plus({ hours: 2 }).toFormat("yyyy-MM-dd\'T\'HH:mm:ss") }}',
        fields: {},
      }),
      node('Found', 'short', 'search', {
        returnAll: false,
        limit: 1,
        filters: { query: 'From n8n', status: 'success_slideshow' },
      }),
      node('Short', 'short', 'get', { shortId: '={{ $json.id }}' }),
      node('Posts', 'post', 'search', { returnAll: true, filters: { short_id: '={{ $json.id }}' } }),
      node('Missing', 'short', 'get', { shortId: 999999999 }, { onError: 'continueRegularOutput', executeOnce: true }),
    ),
  );
  await n8n.trigger('prompt', { prompt: 'Tea keeps you warm. It smells good. It costs little.' });
  const made = outputs(await n8n.execution(campaign));
  assert(made.Slides[0].status === 'succeeded', 'the slides did not succeed');
  assert(made.Edit[0].title === 'From n8n' && made.Edit[0].type_data.slides.length === 3, 'the edit has no effect');
  assert(made.Video[0].result.video_url, 'there is no video');
  const [{ share_id: id }] = made.Publish[0].results;
  assert(made.Publish[0].overall_status === 'success' && id, JSON.stringify(made.Publish));
  const [scheduled] = made.Schedule[0].results;
  const ahead = (new Date(scheduled.scheduled_at) - Date.now()) / 3_600_000;
  assert(ahead > 1 && ahead < 3, `the time without an offset became ${scheduled.scheduled_at}`);
  assert(made.Found.length === 1 && made.Short[0].id === made.Create[0].job_id, JSON.stringify(made.Found));
  assert(
    made.Posts.map((one) => one.id).includes(id) && made.Posts.length === 2,
    `the posts are ${JSON.stringify(made.Posts)}`,
  );
  assert(made.Missing[0].error === 'No such record.', `the missing short: ${JSON.stringify(made.Missing)}`);

  const event = outputs(await n8n.execution(published, (nodes) => nodes.Event?.some((one) => one.data.id === id)));
  assert(event.Event[0].type === 'post.published' && event.Event[0].id, JSON.stringify(event.Event));
  assert(event.Post[0].id === id && event.Post[0].status === 'success', JSON.stringify(event.Post));
  const post = await reelops.data(getPost({ client, path: { id } }));
  assert(post.post_url && (await fetch(post.post_url)).ok, `the post in the sandbox: ${post.post_url}`);
  console.log(`post ${id} is published at ${post.post_url}`);

  const forged = await fetch(webhook.url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      'webhook-id': 'msg_1',
      'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
      'webhook-signature': 'v1,AAAA',
    },
    body: '{"type":"post.published","data":{"id":1}}',
  });
  assert(forged.status === 401, `a request with a wrong signature: ${forged.status}`);
  const { data: runs } = await n8n.call('GET', `/api/v1/executions?workflowId=${published.id}`);
  assert(runs.length === 1, `${runs.length} executions of the trigger`);

  const clips = { source: 'stock', media_type: 'avatar_video' };
  await until('an avatar, which a new installation renders', async () => {
    const found = await reelops.data(listMedia({ client, query: clips }));
    return found.length > 0 || undefined;
  });
  const film = await activate(
    chain(
      'Hook and demo',
      start('video'),
      node('Avatar', 'media', 'search', { returnAll: false, limit: 1, filters: clips }),
      node('Create', 'video', 'create', { avatarId: '={{ $json.id }}', hook: 'Walk to work', demoIds: '', fields: {} }),
      node('Video', 'job', 'wait', { jobId: '={{ $json.job_id }}', timeout: 5 }),
    ),
  );
  await n8n.trigger('video', {});
  const video = outputs(await n8n.execution(film));
  assert(video.Video[0].kind === 'video_generation' && video.Video[0].result.video_url, JSON.stringify(video.Video));

  await n8n.call('POST', `/api/v1/workflows/${published.id}/deactivate`, {});
  await until(
    'the deletion of the webhook',
    async () => !(await webhooks()).some((one) => one.id === webhook.id) || undefined,
  );
}

async function webhooks() {
  return reelops.data(listWebhooks({ client }));
}
