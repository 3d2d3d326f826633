// SPDX-License-Identifier: Apache-2.0

import { useEffect, useEffectEvent, useState } from 'react';
import { useLocation } from 'wouter';

import { guardWith } from '../lib/leaving';
import { Confirm } from './Dialog';
import { toast } from './messages';

interface LeavingProps {
  readonly dirty: boolean;
  readonly title: string;
  /** What happens to the input. */
  readonly text: string;
  /** The message after the user left with unsaved input; none by default. */
  readonly left?: string;
}

/** Leaving asks before the user leaves a screen with unsaved input by a link or by leave. */
export function Leaving({ dirty, title, text, left }: LeavingProps) {
  const [, navigate] = useLocation();
  const [go, setGo] = useState<(() => void) | null>(null);
  const hold = useEffectEvent((next: () => void) => {
    setGo(() => next);
  });
  const click = useEffectEvent((event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey;
    const file = link?.target || link?.hasAttribute('download');
    if (!link || elsewhere || file || link.hash || link.origin !== location.origin) {
      return;
    }
    event.preventDefault();
    event.stopPropagation();
    hold(() => {
      navigate(link.pathname.replace(/^\/console/, '') + link.search || '/');
    });
  });
  useEffect(() => {
    if (!dirty) {
      return undefined;
    }
    const unload = (event: BeforeUnloadEvent) => {
      event.preventDefault();
    };
    const onClick = (event: MouseEvent) => {
      click(event);
    };
    const end = guardWith((next) => {
      hold(next);
    });
    addEventListener('beforeunload', unload);
    document.addEventListener('click', onClick, true);
    return () => {
      end();
      removeEventListener('beforeunload', unload);
      document.removeEventListener('click', onClick, true);
    };
  }, [dirty]);
  const unmounted = useEffectEvent(() => {
    if (dirty && left) {
      toast(left);
    }
  });
  useEffect(
    () => () => {
      unmounted();
    },
    [],
  );
  return (
    go && (
      <Confirm
        title={title}
        action="Leave"
        keep="Keep editing"
        onConfirm={() => {
          go();
          return Promise.resolve();
        }}
        onClose={() => {
          setGo(null);
        }}
      >
        <p>{text}</p>
      </Confirm>
    )
  );
}
