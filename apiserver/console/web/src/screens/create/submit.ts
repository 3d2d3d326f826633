// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useLocation } from 'wouter';

import { asFailure } from '../../api/errors';
import type { Job } from '../../api/schema.gen';
import { randomKey } from '../../lib/text';
import { toast } from '../../ui/messages';

/**
 * useSubmission sends a request to create a short and opens its screen. The Idempotency-Key stays the same until the
 * server gave a definite answer, so that a repeated submission creates nothing twice.
 */
export function useSubmission<Body>(request: (body: Body, key: string) => Promise<Job>) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const pending = useRef<{ readonly body: string; readonly key: string } | null>(null);
  return useMutation({
    mutationFn: async (body: Body) => {
      const text = JSON.stringify(body);
      if (pending.current?.body !== text) {
        pending.current = { body: text, key: randomKey() };
      }
      return request(body, pending.current.key);
    },
    onSuccess: (job) => {
      pending.current = null;
      void client.invalidateQueries({ queryKey: ['shorts'] });
      void client.invalidateQueries({ queryKey: ['account'] });
      toast('Creation started');
      navigate(`/shorts/${String(job.job_id)}`);
    },
    onError: (error) => {
      if (asFailure(error).answered) {
        pending.current = null;
      }
    },
  });
}
