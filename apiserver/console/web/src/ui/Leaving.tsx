// SPDX-License-Identifier: Apache-2.0

import { useEffect, useEffectEvent, useRef, useState } from 'react';
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

/** Leaving asks before the user leaves a screen with unsaved input by a link, by leave or by the browser's history. */
export function Leaving({ dirty, title, text, left }: LeavingProps) {
  const [, navigate] = useLocation();
  const leaving = useRef(false);
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
  // The address of the screen. At a popstate event, the browser already shows another one.
  const here = useRef('');
  useEffect(() => {
    here.current = location.href;
  });
  const pop = useEffectEvent((event: Event) => {
    if (leaving.current || location.href.split('#')[0] === here.current.split('#')[0]) {
      return;
    }
    // The screen must not see the other address: it would be unmounted with its input.
    event.stopImmediatePropagation();
    history.pushState(history.state, '', here.current);
    hold(() => {
      leaving.current = true;
      history.back();
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
    const end = guardWith({
      ask: (next) => {
        hold(next);
      },
      pop: (event) => {
        pop(event);
      },
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
