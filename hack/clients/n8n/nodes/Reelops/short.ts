// SPDX-License-Identifier: MIT

import { getShort, type ListShortsData, listShorts } from '@reelops/client';
import type { Resource } from './call';
import { operation, parameter, query, searching } from './properties';
import { search } from './search';

export const short: Resource = {
  properties: [
    operation('short', [
      { name: 'Get', value: 'get', action: 'Get a short', description: 'Get a slideshow or a video with its content' },
      { name: 'Search', value: 'search', action: 'Search shorts', description: 'Find slideshows and videos' },
    ]),
    parameter('short', ['get'], {
      displayName: 'Short ID',
      name: 'shortId',
      type: 'string',
      required: true,
      default: '',
      placeholder: '{{ $json.job_id }}',
      description: 'The ID of the slideshow or video, which is also that of its job',
    }),
    ...searching('short', [
      query,
      {
        displayName: 'Status',
        name: 'status',
        type: 'options',
        options: [
          { name: 'Draft', value: 'draft' },
          { name: 'Failed', value: 'failed' },
          { name: 'Processing', value: 'processing' },
          { name: 'Slideshow Ready', value: 'success_slideshow' },
          { name: 'Video Ready', value: 'success' },
        ],
        default: 'success',
      },
      {
        displayName: 'Type',
        name: 'short_type',
        type: 'options',
        options: [
          { name: 'Hook and Demo Video', value: 'UGC' },
          { name: 'Slideshow', value: 'SLIDESHOW' },
        ],
        default: 'SLIDESHOW',
      },
    ]),
  ],
  operations: {
    get: async (call) => call.reelops.data(getShort({ client: call.client, path: { id: call.id('shortId') } })),
    search: (call) =>
      search<NonNullable<ListShortsData['query']>>(call, (filters) =>
        listShorts({ client: call.client, query: filters }),
      ),
  },
};
