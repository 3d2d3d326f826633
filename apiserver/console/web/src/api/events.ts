// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { shortKey, shortQuery } from './queries';
import type { ShortDetail } from './schema.gen';

/** useLiveShort reads a short and follows its changes by server-sent events. Without a stream it polls. */
export function useLiveShort(id: number, brand: number, account: string) {
  const client = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const query = useQuery({
    ...shortQuery(id),
    refetchInterval: (state) => (!streaming && state.state.data && inWork(state.state.data) ? 4000 : false),
  });
  useEffect(() => {
    const query = new URLSearchParams({ short_id: String(id), brand_id: String(brand), account });
    const stream = new EventSource(`/console/events?${query.toString()}`);
    stream.addEventListener('open', () => {
      setStreaming(true);
    });
    stream.addEventListener('short', (event: MessageEvent<string>) => {
      client.setQueryData(shortKey(id), JSON.parse(event.data) as ShortDetail);
    });
    stream.addEventListener('error', () => {
      setStreaming(false);
    });
    return () => {
      stream.close();
    };
  }, [id, brand, account, client]);
  return query;
}

/** inWork reports whether the short or its video is being created. */
export function inWork(short: ShortDetail): boolean {
  return short.status === 'processing' || short.render_status === 'queued' || short.render_status === 'processing';
}
