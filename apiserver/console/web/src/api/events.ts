// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';

import { shortKey, shortQuery } from './queries';
import type { ShortDetail } from './schema.gen';

// Pauses before the stream is opened again after a response that is not a stream, in milliseconds.
const firstPause = 5000;
const longestPause = 60_000;

/**
 * useLiveShort reads a short and follows its changes by server-sent events. Without a stream it polls. A hidden page
 * closes the stream, because a browser opens only six connections to a server over HTTP/1.1.
 */
export function useLiveShort(id: number, brand: number, account: string) {
  const client = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const query = useQuery({
    ...shortQuery(id),
    refetchInterval: (state) => (!streaming && state.state.data && inWork(state.state.data) ? 4000 : false),
  });
  useEffect(() => {
    const address = new URLSearchParams({ short_id: String(id), brand_id: String(brand), account });
    let stream: EventSource | null = null;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = firstPause;
    const close = () => {
      clearTimeout(timer);
      stream?.close();
      stream = null;
      setStreaming(false);
    };
    const open = () => {
      close();
      if (document.hidden) {
        return;
      }
      const opened = new EventSource(`/console/events?${address.toString()}`);
      stream = opened;
      opened.addEventListener('open', () => {
        pause = firstPause;
        setStreaming(true);
      });
      opened.addEventListener('short', (event: MessageEvent<string>) => {
        client.setQueryData(shortKey(id), JSON.parse(event.data) as ShortDetail);
      });
      opened.addEventListener('error', () => {
        setStreaming(false);
        // The browser repeats a broken connection by itself. It gives up after another status than 200.
        if (opened.readyState === EventSource.CLOSED) {
          // The reason is in the response to a read of the short, such as the end of the session.
          void client.invalidateQueries({ queryKey: shortKey(id) });
          timer = setTimeout(again, pause);
          pause = Math.min(2 * pause, longestPause);
        }
      });
    };
    const again = () => {
      // A short that cannot be read has no stream either.
      if (client.getQueryState(shortKey(id))?.status === 'error') {
        timer = setTimeout(again, pause);
      } else {
        open();
      }
    };
    open();
    // The stream begins with the short, so that a page that becomes visible shows it as it is then.
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      close();
    };
  }, [id, brand, account, client]);
  return query;
}

/** inWork reports whether the short or its video is being created. */
export function inWork(short: ShortDetail): boolean {
  return short.status === 'processing' || short.render_status === 'queued' || short.render_status === 'processing';
}
