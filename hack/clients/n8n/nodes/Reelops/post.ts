// SPDX-License-Identifier: MIT

import { createPost, type CreatePostData, getPost, type ListPostsData, listPosts } from '@reelops/client';
import { NodeOperationError } from 'n8n-workflow';
import type { Call, Resource } from './call';
import { caption, json, operation, parameter, searching, title } from './properties';
import { search } from './search';

type Body = CreatePostData['body'];

/** publish publishes or schedules a short. It fails if no account accepted it. */
async function publish(call: Call, when: Pick<Body, 'scheduled_at'>) {
  const platforms = call.list('platforms');
  const accounts = call.ids('accounts');
  if (platforms.length === 0 && accounts.length === 0) {
    const message = 'Choose at least one platform or account';
    throw new NodeOperationError(call.functions.getNode(), message, { itemIndex: call.index });
  }
  const batch = await call.reelops.data(
    createPost({
      client: call.client,
      body: call.body<Body>({
        short_id: call.id('shortId'),
        ...(platforms.length === 0 ? {} : { platforms }),
        ...(accounts.length === 0 ? {} : { social_data_ids: accounts }),
        ...when,
      }),
    }),
  );
  if (batch.overall_status === 'failed') {
    const reasons = batch.results.map(
      (one) => `${one.account_name ?? one.platform}: ${one.error?.message ?? one.status}`,
    );
    throw new NodeOperationError(call.functions.getNode(), 'No account accepted the post', {
      itemIndex: call.index,
      description: reasons.join(' '),
    });
  }
  return batch;
}

const both = ['publish', 'schedule'];

export const post: Resource = {
  properties: [
    operation('post', [
      { name: 'Get', value: 'get', action: 'Get a post', description: 'Get a post with its state on the platform' },
      {
        name: 'Publish',
        value: 'publish',
        action: 'Publish a short',
        description: 'Publish a slideshow or a video now',
      },
      {
        name: 'Schedule',
        value: 'schedule',
        action: 'Schedule a short',
        description: 'Publish a slideshow or a video at a given time',
      },
      { name: 'Search', value: 'search', action: 'Search posts', description: 'Find posts' },
    ]),
    parameter('post', ['get'], {
      displayName: 'Post ID',
      name: 'postId',
      type: 'string',
      required: true,
      default: '',
      placeholder: '{{ $json.results[0].share_id }}',
    }),
    parameter('post', both, {
      displayName: 'Short ID',
      name: 'shortId',
      type: 'string',
      required: true,
      default: '',
      placeholder: '{{ $json.job_id }}',
      description: 'The ID of the slideshow or video, which is also that of its job',
    }),
    parameter('post', ['schedule'], {
      displayName: 'Scheduled At',
      name: 'scheduledAt',
      type: 'dateTime',
      required: true,
      default: '',
      description: 'At least 5 minutes ahead. A time without an offset is in the time zone of the workflow.',
    }),
    parameter('post', both, {
      displayName: 'Platform Names or IDs',
      name: 'platforms',
      type: 'multiOptions',
      typeOptions: { loadOptionsMethod: 'getPlatforms' },
      default: [],
      description:
        'Publish to all accounts of the brand on these platforms. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    }),
    parameter('post', both, {
      displayName: 'Account Names or IDs',
      name: 'accounts',
      type: 'multiOptions',
      typeOptions: { loadOptionsMethod: 'getAccounts' },
      default: [],
      description:
        'Publish to these accounts. Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>.',
    }),
    parameter('post', both, {
      displayName: 'Additional Fields',
      name: 'fields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options: [
        caption,
        {
          displayName: 'Media',
          name: 'media',
          type: 'options',
          options: [
            {
              name: 'Auto',
              value: 'auto',
              description: 'The video, or the slides of a slideshow that was never rendered',
            },
            { name: 'Photos', value: 'photo_set', description: 'The slides as photos' },
            { name: 'Video', value: 'video', description: 'The video of the current slides' },
          ],
          default: 'auto',
        },
        {
          displayName: 'Mode',
          name: 'posting_mode',
          type: 'options',
          options: [
            { name: 'Direct', value: 'direct', description: 'Publish the post' },
            { name: 'Draft', value: 'draft', description: 'Upload the post for a person to publish, where supported' },
          ],
          default: 'direct',
        },
        json,
        title,
      ],
    }),
    ...searching('post', [
      {
        displayName: 'Platform Name or ID',
        name: 'platform',
        type: 'options',
        typeOptions: { loadOptionsMethod: 'getPlatforms' },
        default: '',
        description:
          'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
      },
      { displayName: 'Short ID', name: 'short_id', type: 'string', default: '' },
      {
        displayName: 'Status',
        name: 'status',
        type: 'options',
        options: [
          { name: 'Cancelled', value: 'cancelled' },
          { name: 'Draft', value: 'draft' },
          { name: 'Failed', value: 'failed' },
          { name: 'Pending', value: 'pending' },
          { name: 'Published', value: 'success' },
          { name: 'Retrying', value: 'retrying' },
          { name: 'Scheduled', value: 'scheduled' },
        ],
        default: 'success',
      },
    ]),
  ],
  operations: {
    get: async (call) => call.reelops.data(getPost({ client: call.client, path: { id: call.id('postId') } })),
    publish: (call) => publish(call, {}),
    schedule: (call) => publish(call, { scheduled_at: call.time('scheduledAt') }),
    search: (call) =>
      search<NonNullable<ListPostsData['query']>>(call, (filters) =>
        listPosts({ client: call.client, query: filters }),
      ),
  },
};
