// SPDX-License-Identifier: Apache-2.0

import { queryOptions } from '@tanstack/react-query';

import { answer, api } from './client';

export const musicQuery = (brand: number) =>
  queryOptions({
    queryKey: ['music', brand],
    queryFn: async () => (await answer(api.GET('/api/v1/background_music'))).data,
    staleTime: 600_000,
  });
