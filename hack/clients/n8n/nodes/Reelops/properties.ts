// SPDX-License-Identifier: MIT

// Parameters that several resources have.

import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

/** operation is the choice of the operation of a resource. The first one is the default. */
export function operation(resource: string, options: INodePropertyOptions[]): INodeProperties {
  const choice: INodeProperties = {
    displayName: 'Operation',
    name: 'operation',
    type: 'options',
    noDataExpression: true,
    default: '',
  };
  return { ...choice, displayOptions: { show: { resource: [resource] } }, options, default: options[0]?.value ?? '' };
}

/** parameter is a parameter of some operations of a resource. */
export function parameter(resource: string, operations: string[], property: INodeProperties): INodeProperties {
  return { ...property, displayOptions: { show: { resource: [resource], operation: operations } } };
}

/** searching are the parameters of the operation search, which lists records: its limit, and the filters to choose from. */
export function searching(resource: string, filters: INodeProperties[]): INodeProperties[] {
  return [
    {
      displayName: 'Return All',
      name: 'returnAll',
      type: 'boolean',
      default: false,
      description: 'Whether to return all results or only up to a given limit',
      displayOptions: { show: { resource: [resource], operation: ['search'] } },
    },
    {
      displayName: 'Limit',
      name: 'limit',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 50,
      description: 'Max number of results to return',
      displayOptions: { show: { resource: [resource], operation: ['search'], returnAll: [false] } },
    },
    {
      displayName: 'Filters',
      name: 'filters',
      type: 'collection',
      placeholder: 'Add Filter',
      default: {},
      options: filters,
      displayOptions: { show: { resource: [resource], operation: ['search'] } },
    },
  ];
}

/** query is the member of a collection of filters that has words to search for. */
export const query: INodeProperties = {
  displayName: 'Query',
  name: 'query',
  type: 'string',
  default: '',
  description: 'Words to search for',
};

/** aspectRatio, caption and the following are members of collections of fields. */
export const aspectRatio: INodeProperties = {
  displayName: 'Aspect Ratio',
  name: 'aspect_ratio',
  type: 'options',
  options: [
    { name: '4:5', value: '4:5' },
    { name: '9:16', value: '9:16' },
  ],
  default: '9:16',
};

export const caption: INodeProperties = {
  displayName: 'Caption',
  name: 'caption',
  type: 'string',
  typeOptions: { rows: 3 },
  default: '',
};

export const designStyle: INodeProperties = {
  displayName: 'Design Style Name or ID',
  name: 'design_style',
  type: 'options',
  typeOptions: { loadOptionsMethod: 'getDesignStyles' },
  default: '',
  description:
    'Choose from the list, or specify an ID using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
};

export const json: INodeProperties = {
  displayName: 'More Fields (JSON)',
  name: 'json',
  type: 'json',
  default: '{}',
  description: 'Further fields of the request, as in the API reference of your installation, at /docs',
};

export const language: INodeProperties = {
  displayName: 'Language',
  name: 'language',
  type: 'string',
  default: '',
  placeholder: 'en',
  description: 'BCP 47 tag of the language. By default, that of the brand or of the text.',
};

export const pace: INodeProperties = {
  displayName: 'Pace',
  name: 'pace',
  type: 'options',
  options: [
    { name: 'Fast', value: 'fast' },
    { name: 'Normal', value: 'normal' },
    { name: 'Slow', value: 'slow' },
  ],
  default: 'normal',
  description: 'Speed at which slides change in the video',
};

export const tags: INodeProperties = {
  displayName: 'Tags',
  name: 'tags',
  type: 'string',
  default: '',
  placeholder: 'walking,health',
  description: 'Hashtags, separated by commas',
};

export const title: INodeProperties = {
  displayName: 'Title',
  name: 'title',
  type: 'string',
  default: '',
};

export const voiceOver: INodeProperties = {
  displayName: 'Voice-Over',
  name: 'voiceOver',
  type: 'boolean',
  default: true,
  description: 'Whether a voice speaks the text of the slides',
};
