// SPDX-License-Identifier: MIT

import { type CreateVideo, createVideo } from '@reelops/client';
import type { Resource } from './call';
import { aspectRatio, caption, json, language, operation, parameter, tags, title } from './properties';

export const video: Resource = {
  properties: [
    operation('video', [
      {
        name: 'Create',
        value: 'create',
        action: 'Create a hook and demo video',
        description: 'Create a video of an avatar and product demos',
      },
    ]),
    parameter('video', ['create'], {
      displayName: 'Avatar Media ID',
      name: 'avatarId',
      type: 'string',
      required: true,
      default: '',
      description:
        'The ID of an avatar clip. Media > Search with the source Stock and the type Avatar Video lists them.',
    }),
    parameter('video', ['create'], {
      displayName: 'Hook',
      name: 'hook',
      type: 'string',
      typeOptions: { rows: 2 },
      default: '',
      description: "The text that the avatar speaks. By default, it is generated from the brand's profile.",
    }),
    parameter('video', ['create'], {
      displayName: 'Demo Media IDs',
      name: 'demoIds',
      type: 'string',
      default: '',
      placeholder: '12,13',
      description: 'The IDs of the clips that follow the avatar, separated by commas',
    }),
    parameter('video', ['create'], {
      displayName: 'Additional Fields',
      name: 'fields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options: [aspectRatio, caption, language, json, tags, title],
    }),
  ],
  operations: {
    create: async (call) => {
      const hook = call.text('hook');
      const demos = call.ids('demoIds');
      const body = call.body<CreateVideo>({
        avatar_media_id: call.id('avatarId'),
        ...(hook === '' ? {} : { hook_text: hook }),
        ...(demos.length === 0 ? {} : { product_demo_media_ids: demos }),
      });
      return call.reelops.data(createVideo({ client: call.client, body }));
    },
  },
};
