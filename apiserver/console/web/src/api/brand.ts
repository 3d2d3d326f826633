// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQueryClient } from '@tanstack/react-query';

import type { BrandDetail, UpdateBrand } from './schema.gen';
import { answer, api } from './client';

/** useBrandEdit changes members of the brand. Members that the body does not have stay. */
export function useBrandEdit(brand: number, account: string, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: UpdateBrand): Promise<BrandDetail> =>
      (await answer(api.PATCH('/api/v1/brand', { body }))).data,
    onSuccess: (changed) => {
      client.setQueryData(['brand', brand], changed);
      void client.invalidateQueries({ queryKey: ['brands', account] });
      void client.invalidateQueries({ queryKey: ['all-posts'] });
      onDone();
    },
  });
}
