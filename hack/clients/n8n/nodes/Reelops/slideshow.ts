// SPDX-License-Identifier: MIT

import {
  type CreateSlideshow,
  createSlideshow,
  renderSlideshow,
  updateSlideshow,
  type UpdateSlideshowData,
} from '@reelops/client';
import type { Resource } from './call';
import {
  aspectRatio,
  caption,
  designStyle,
  json,
  language,
  operation,
  pace,
  parameter,
  tags,
  title,
  voiceOver,
} from './properties';

export const slideshow: Resource = {
  properties: [
    operation('slideshow', [
      {
        name: 'Create',
        value: 'create',
        action: 'Create a slideshow',
        description: 'Create a slideshow from a prompt',
      },
      {
        name: 'Edit',
        value: 'edit',
        action: 'Edit a slideshow',
        description: 'Change the slides, texts or settings of a slideshow',
      },
      { name: 'Render', value: 'render', action: 'Render a slideshow', description: 'Render the video of a slideshow' },
    ]),
    parameter('slideshow', ['create'], {
      displayName: 'Prompt',
      name: 'prompt',
      type: 'string',
      typeOptions: { rows: 4 },
      required: true,
      default: '',
      placeholder: 'Three reasons to walk to work, for people who live in a city',
      description: 'The audience and the content of the slideshow',
    }),
    parameter('slideshow', ['edit', 'render'], {
      displayName: 'Slideshow ID',
      name: 'shortId',
      type: 'string',
      required: true,
      default: '',
      placeholder: '{{ $json.job_id }}',
      description: 'The ID of the slideshow, which is also that of its job',
    }),
    parameter('slideshow', ['create'], {
      displayName: 'Additional Fields',
      name: 'fields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options: [
        aspectRatio,
        caption,
        designStyle,
        {
          displayName: 'Image World Name or ID',
          name: 'image_world',
          type: 'options',
          typeOptions: { loadOptionsMethod: 'getImageWorlds' },
          default: '',
          description:
            'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
        },
        language,
        json,
        pace,
        {
          displayName: 'Render Automatically',
          name: 'auto_render',
          type: 'boolean',
          default: true,
          description: 'Whether to render the video as soon as the slides are ready',
        },
        {
          displayName: 'Slides',
          name: 'slide_count',
          type: 'number',
          typeOptions: { minValue: 3, maxValue: 12 },
          default: 5,
          description: 'Number of slides, from 3 to 12. By default, the text determines it.',
        },
        tags,
        title,
        voiceOver,
      ],
    }),
    parameter('slideshow', ['edit'], {
      displayName: 'Update Fields',
      name: 'fields',
      type: 'collection',
      placeholder: 'Add Field',
      default: {},
      options: [aspectRatio, caption, designStyle, json, pace, tags, title, voiceOver],
    }),
  ],
  operations: {
    create: async (call) =>
      call.reelops.data(
        createSlideshow({ client: call.client, body: call.body<CreateSlideshow>({ context: call.text('prompt') }) }),
      ),
    edit: async (call) =>
      call.reelops.data(
        updateSlideshow({
          client: call.client,
          path: { id: call.id('shortId') },
          body: call.body<NonNullable<UpdateSlideshowData['body']>>({}),
        }),
      ),
    render: async (call) =>
      call.reelops.data(renderSlideshow({ client: call.client, path: { id: call.id('shortId') } })),
  },
};
