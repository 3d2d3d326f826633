// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, queryOptions } from '@tanstack/react-query';

import { answer, api } from './client';
import type { PostRequest } from './schema.gen';

export const validationQuery = (brand: number, request: PostRequest) =>
  queryOptions({
    queryKey: ['validation', brand, request],
    queryFn: async () => (await answer(api.POST('/api/v1/posts/validate', { body: request }))).data,
    placeholderData: keepPreviousData,
    staleTime: 15_000,
  });
