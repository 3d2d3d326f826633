// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQueryClient } from '@tanstack/react-query';

import { added, type BrandDetail, type EditBrand } from './additions';
import { answer } from './client';

/** useBrandEdit changes members of the brand. Members that the body does not have stay. */
export function useBrandEdit(brand: number, account: string, onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (body: EditBrand): Promise<BrandDetail> =>
      (await answer(added.PATCH('/api/v1/brand', { body }))).data,
    onSuccess: (changed) => {
      client.setQueryData(['brand', brand], changed);
      void client.invalidateQueries({ queryKey: ['brands', account] });
      void client.invalidateQueries({ queryKey: ['all-posts'] });
      onDone();
    },
  });
}
