// SPDX-License-Identifier: Apache-2.0

import { useEffect, useMemo, useRef, useState } from 'react';

import { asFailure, type Failure } from '../../api/errors';
import { drawSlide, type Drawing, type PreviewRequest } from '../../api/preview';

const delay = 150;

interface Wanted {
  readonly revision: number;
  readonly key: string;
  readonly body: PreviewRequest;
}

export interface Drawn extends Drawing {
  /** The revision of the slideshow that was drawn with its changes. */
  readonly revision: number;
}

/** Preview is the last drawing of a slide. */
export interface Preview {
  /** The last drawing of each slide. */
  readonly drawings: ReadonlyMap<number, Drawn>;
  /** Whether the drawing of the slide has all changes. */
  readonly current: boolean;
  readonly failure: Failure | null;
  readonly retry: () => void;
}

/**
 * usePreview draws the slide of a request on the server. One request is in flight at a time, and the last change wins.
 * The old drawing stays until the new one is there.
 */
export function usePreview(id: number, revision: number, body: PreviewRequest, enabled: boolean): Preview {
  const [drawings, setDrawings] = useState<ReadonlyMap<number, Drawn>>(new Map());
  const [done, setDone] = useState('');
  const [failure, setFailure] = useState<{ readonly key: string; readonly error: Failure } | null>(null);
  const [round, setRound] = useState(0);
  const running = useRef(false);
  const wanted = useRef<Wanted | null>(null);
  const text = JSON.stringify(body);
  const key = `${String(revision)} ${text}`;
  const request = useMemo(() => JSON.parse(text) as PreviewRequest, [text]);
  useEffect(() => {
    if (!enabled) {
      wanted.current = null;
      return undefined;
    }
    let pause: ReturnType<typeof setTimeout> | undefined;
    const run = async () => {
      running.current = true;
      while (wanted.current) {
        const { key: asked, body: sent, revision: of } = wanted.current;
        wanted.current = null;
        try {
          const drawing = await drawSlide(id, sent);
          setDrawings((before) => new Map(before).set(sent.slide_id, { ...drawing, revision: of }));
          setDone(asked);
          setFailure(null);
        } catch (error) {
          const failed = asFailure(error);
          setFailure({ key: asked, error: failed });
          const wait = failed.details['retry_after'];
          if (typeof wait === 'number') {
            pause = setTimeout(() => {
              setRound((n) => n + 1);
            }, wait * 1000);
          }
        }
      }
      running.current = false;
    };
    const timer = setTimeout(() => {
      wanted.current = { revision, key, body: request };
      if (!running.current) {
        void run();
      }
    }, delay);
    return () => {
      clearTimeout(timer);
      clearTimeout(pause);
    };
  }, [id, revision, key, request, enabled, round]);
  return {
    drawings,
    current: done === key,
    failure: failure?.key === key ? failure.error : null,
    retry: () => {
      setRound(round + 1);
    },
  };
}
