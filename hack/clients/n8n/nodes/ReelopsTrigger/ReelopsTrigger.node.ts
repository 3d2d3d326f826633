// SPDX-License-Identifier: MIT

import {
  createWebhook,
  type CreateWebhook,
  deleteWebhook,
  getWebhook,
  ReelopsError,
  verifyWebhook,
} from '@reelops/client';
import {
  type IHookFunctions,
  type INodeType,
  type INodeTypeDescription,
  type IWebhookFunctions,
  type IWebhookResponseData,
  NodeConnectionTypes,
} from 'n8n-workflow';
import { connect, failure, record } from '../../lib/client';

/** Registration is the webhook of an active workflow, which n8n stores with the workflow. */
interface Registration {
  id?: number;
  secret?: string;
}

/** remove deletes a webhook, if it still exists. */
async function remove(functions: IHookFunctions, id: number): Promise<void> {
  const reelops = await connect(functions);
  try {
    await reelops.data(deleteWebhook({ client: reelops.client, path: { id } }));
  } catch (error) {
    if (!(error instanceof ReelopsError && error.status === 404)) {
      throw failure(functions.getNode(), error);
    }
  }
}

/** ReelopsTrigger is the node that starts a workflow on events. It has a webhook while the workflow is active. */
export class ReelopsTrigger implements INodeType {
  description: INodeTypeDescription = {
    displayName: 'Reelops Trigger',
    name: 'reelopsTrigger',
    icon: { light: 'file:../../icons/reelops.svg', dark: 'file:../../icons/reelops.dark.svg' },
    group: ['trigger'],
    version: [1],
    subtitle: '={{$parameter["events"].join(", ")}}',
    description:
      'Starts the workflow when content is ready, posts are published, or accounts and automations need attention',
    defaults: { name: 'Reelops Trigger' },
    inputs: [],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: 'reelopsApi', required: true }],
    webhooks: [{ name: 'default', httpMethod: 'POST', responseMode: 'onReceived', path: 'webhook' }],
    properties: [
      {
        displayName: 'Events',
        name: 'events',
        type: 'multiOptions',
        required: true,
        default: [],
        options: [
          { name: 'Automation Run Failed', value: 'automation.run_failed' },
          { name: 'Automation Run Missed', value: 'automation.run_missed' },
          { name: 'Automation Run Succeeded', value: 'automation.run_succeeded' },
          { name: 'Connection Expired', value: 'connection.expired' },
          { name: 'Connection Expiring', value: 'connection.expiring' },
          { name: 'Connection Restored', value: 'connection.restored' },
          { name: 'Job Failed', value: 'job.failed' },
          { name: 'Job Succeeded', value: 'job.succeeded' },
          { name: 'Post Awaiting Approval', value: 'post.awaiting_approval' },
          { name: 'Post Cancelled', value: 'post.cancelled' },
          { name: 'Post Failed', value: 'post.failed' },
          { name: 'Post in Inbox', value: 'post.in_inbox', description: 'A draft is in the inbox of the account' },
          { name: 'Post Published', value: 'post.published' },
          { name: 'Post Scheduled', value: 'post.scheduled' },
          {
            name: 'Post Unconfirmed',
            value: 'post.unconfirmed',
            description: 'It is unknown whether the post is published',
          },
          { name: 'Quota Reached', value: 'quota.reached' },
        ],
      },
    ],
  };

  webhookMethods = {
    default: {
      /** checkExists reports whether the webhook exists as this node would create it. It deletes another one. */
      async checkExists(this: IHookFunctions): Promise<boolean> {
        const stored: Registration = this.getWorkflowStaticData('node');
        if (stored.id === undefined || stored.secret === undefined) {
          return false;
        }
        const reelops = await connect(this);
        try {
          const webhook = await reelops.data(getWebhook({ client: reelops.client, path: { id: stored.id } }));
          const events = this.getNodeParameter('events') as string[];
          const same = [...webhook.events].sort().join() === [...events].sort().join();
          if (same && webhook.url === this.getNodeWebhookUrl('default')) {
            return true;
          }
          await remove(this, stored.id);
        } catch (error) {
          const problem = failure(this.getNode(), error);
          if (!(error instanceof ReelopsError && error.status === 404)) {
            throw problem;
          }
          this.logger.debug(`webhook ${stored.id} does not exist any more: ${problem.message}`);
        }
        delete stored.id;
        delete stored.secret;
        return false;
      },

      async create(this: IHookFunctions): Promise<boolean> {
        const reelops = await connect(this);
        const events = this.getNodeParameter('events') as CreateWebhook['events'];
        const url = String(this.getNodeWebhookUrl('default'));
        try {
          const { id, secret } = await reelops.data(createWebhook({ client: reelops.client, body: { url, events } }));
          Object.assign(this.getWorkflowStaticData('node'), { id, secret });
        } catch (error) {
          throw failure(this.getNode(), error);
        }
        return true;
      },

      async delete(this: IHookFunctions): Promise<boolean> {
        const stored: Registration = this.getWorkflowStaticData('node');
        if (stored.id !== undefined) {
          await remove(this, stored.id);
        }
        delete stored.id;
        delete stored.secret;
        return true;
      },
    },
  };

  /** webhook starts the workflow with an event whose signature is valid, and refuses other requests. */
  async webhook(this: IWebhookFunctions): Promise<IWebhookResponseData> {
    const { secret }: Registration = this.getWorkflowStaticData('node');
    const request = this.getRequestObject();
    const headers = this.getHeaderData();
    let event: ReturnType<typeof verifyWebhook>;
    try {
      event = verifyWebhook(String(secret), request.rawBody.toString(), headers);
    } catch (error) {
      this.logger.warn(`refused a webhook without a valid signature: ${(error as Error).message}`);
      this.getResponseObject().status(401).json({ message: 'invalid signature' });
      return { noWebhookResponse: true };
    }
    // A test of the webhook in Reelops reaches the editor only: the workflow expects an event that it selected.
    if (event.type === 'webhook.test' && this.getMode() !== 'manual') {
      return {};
    }
    const id = headers['webhook-id'];
    return { workflowData: [[{ json: record({ ...event, id }) }]] };
  }
}
