// SPDX-License-Identifier: Apache-2.0

import { queryOptions } from '@tanstack/react-query';

import { asFailure, failureOf } from './errors';

interface Bounds {
  readonly scheduled_after: string;
  readonly scheduled_before: string;
}

/** manifestsQuery reads the posts of a period that are not published yet, as PostBatch manifests in YAML. */
export const manifestsQuery = (brand: number, bounds: Bounds) =>
  queryOptions({
    queryKey: ['manifests', brand, bounds],
    queryFn: async (): Promise<string> => {
      const query = new URLSearchParams({ brand_id: String(brand), ...bounds });
      let response: Response;
      try {
        response = await fetch(`/console/manifests?${query.toString()}`, { credentials: 'same-origin' });
      } catch (error) {
        throw asFailure(error);
      }
      if (!response.ok) {
        throw failureOf(response.status, await response.json().catch(() => null));
      }
      return response.text();
    },
    staleTime: 0,
  });
