// SPDX-License-Identifier: MIT

import { type ListMediaData, listMedia } from '@reelops/client';
import type { Resource } from './call';
import { operation, query, searching } from './properties';
import { search } from './search';

export const media: Resource = {
  properties: [
    operation('media', [
      {
        name: 'Search',
        value: 'search',
        action: 'Search media',
        description: 'Find images and clips by their content',
      },
    ]),
    ...searching('media', [
      query,
      {
        displayName: 'Source',
        name: 'source',
        type: 'options',
        options: [
          { name: 'Own', value: 'own' },
          { name: 'Packs', value: 'packs' },
          { name: 'Stock', value: 'stock' },
        ],
        default: 'own',
      },
      {
        displayName: 'Type',
        name: 'media_type',
        type: 'options',
        options: [
          { name: 'AI Image', value: 'ai_image' },
          { name: 'Avatar Video', value: 'avatar_video' },
          { name: 'Pack Image', value: 'pack_image' },
          { name: 'Product Demo', value: 'product_demo' },
          { name: 'Stock Image', value: 'stock_image' },
          { name: 'Stock Video', value: 'stock_video' },
          { name: 'User Upload', value: 'user_upload' },
        ],
        default: 'user_upload',
      },
    ]),
  ],
  operations: {
    search: (call) =>
      search<NonNullable<ListMediaData['query']>>(call, (filters) =>
        listMedia({ client: call.client, query: filters }),
      ),
  },
};
