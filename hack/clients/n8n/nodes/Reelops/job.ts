// SPDX-License-Identifier: MIT

import { NodeOperationError } from 'n8n-workflow';
import { failure } from '../../lib/client';
import type { Resource } from './call';
import { operation, parameter } from './properties';

export const job: Resource = {
  properties: [
    operation('job', [
      {
        name: 'Wait',
        value: 'wait',
        action: 'Wait for a job',
        description: 'Wait until slides, a video or a render are ready',
      },
    ]),
    parameter('job', ['wait'], {
      displayName: 'Job ID',
      name: 'jobId',
      type: 'string',
      required: true,
      default: '',
      placeholder: '{{ $json.job_id }}',
      description: 'The ID of the job, as returned by Create and Render',
    }),
    parameter('job', ['wait'], {
      displayName: 'Timeout (Minutes)',
      name: 'timeout',
      type: 'number',
      typeOptions: { minValue: 1 },
      default: 30,
      description: 'How long to wait. The node fails afterwards, and the job continues.',
    }),
  ],
  operations: {
    wait: async (call) => {
      const id = call.id('jobId');
      const minutes = call.number('timeout');
      const timeout = AbortSignal.timeout(minutes * 60_000);
      const cancelled = call.functions.getExecutionCancelSignal();
      try {
        return await call.reelops.wait(id, { signal: cancelled ? AbortSignal.any([timeout, cancelled]) : timeout });
      } catch (error) {
        if (!timeout.aborted) {
          throw failure(call.functions.getNode(), error, call.index);
        }
        const message = `Job ${id} has not ended within ${minutes} minutes`;
        throw new NodeOperationError(call.functions.getNode(), message, { itemIndex: call.index });
      }
    },
  },
};
