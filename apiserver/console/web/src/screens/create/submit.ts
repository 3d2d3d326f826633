// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';

import { idempotency } from '../../api/idempotency';
import type { Job } from '../../api/schema.gen';
import { toast } from '../../ui/messages';

/** useSubmission sends a request to create a short and opens its screen. */
export function useSubmission<Body extends object>(request: (body: Body, key: string) => Promise<Job>) {
  const client = useQueryClient();
  const [, navigate] = useLocation();
  const [once] = useState(idempotency);
  return useMutation({
    mutationFn: (body: Body) => once(body, (key) => request(body, key)),
    onSuccess: (job) => {
      void client.invalidateQueries({ queryKey: ['shorts'] });
      void client.invalidateQueries({ queryKey: ['account'] });
      toast('Creation started');
      navigate(`/shorts/${String(job.job_id)}`);
    },
  });
}
