// SPDX-License-Identifier: MIT

import {
  type IExecuteFunctions,
  type INodeExecutionData,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
  NodeOperationError,
} from 'n8n-workflow';
import { connect, failure, record } from '../../lib/client';
import { Call, type Resource } from './call';
import { job } from './job';
import { media } from './media';
import * as loadOptions from './options';
import { post } from './post';
import { short } from './short';
import { slideshow } from './slideshow';
import { video } from './video';

const resources: Readonly<Record<string, Resource>> = { job, media, post, short, slideshow, video };

/** Reelops is the node that creates, edits, renders, publishes and finds content. */
export class Reelops implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Reelops',
    name: 'reelops',
    icon: { light: 'file:../../icons/reelops.svg', dark: 'file:../../icons/reelops.dark.svg' },
    group: ['output'],
    version: [1],
    subtitle: '={{$parameter["operation"] + ": " + $parameter["resource"]}}',
    description: 'Create, edit, render and publish short-form video',
    defaults: { name: 'Reelops' },
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    usableAsTool: true,
    credentials: [{ name: 'reelopsApi', required: true }],
    properties: [
      {
        displayName: 'Resource',
        name: 'resource',
        type: 'options',
        noDataExpression: true,
        options: [
          { name: 'Job', value: 'job' },
          { name: 'Media', value: 'media' },
          { name: 'Post', value: 'post' },
          { name: 'Short', value: 'short' },
          { name: 'Slideshow', value: 'slideshow' },
          { name: 'Video', value: 'video' },
        ],
        default: 'slideshow',
      },
      ...job.properties,
      ...media.properties,
      ...post.properties,
      ...short.properties,
      ...slideshow.properties,
      ...video.properties,
    ],
  };

  methods = { loadOptions: { ...loadOptions } };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const reelops = await connect(this);
    const results: INodeExecutionData[] = [];
    for (let index = 0; index < this.getInputData().length; index++) {
      try {
        const resource = this.getNodeParameter('resource', index) as string;
        const operation = this.getNodeParameter('operation', index) as string;
        const run = resources[resource]?.operations[operation];
        if (!run) {
          throw new NodeOperationError(this.getNode(), `Unknown operation: ${resource}, ${operation}`, {
            itemIndex: index,
          });
        }
        for (const found of [await run(new Call(this, reelops, index))].flat()) {
          results.push({ json: record(found), pairedItem: { item: index } });
        }
      } catch (error) {
        const problem = failure(this.getNode(), error, index);
        if (!this.continueOnFail()) {
          throw problem;
        }
        results.push({ json: { error: problem.message }, error: problem, pairedItem: { item: index } });
      }
    }
    return [results];
  }
}
