// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, type PointerEvent as ReactPointerEvent, type RefObject } from 'react';

import type { Post } from '../../api/schema.gen';
import type { Move } from './move';

// A press that moves less than this, in CSS pixels, is a click.
const threshold = 6;

/**
 * useDrag moves posts with a mouse or a pen. A finger scrolls the page, and moves posts with the button of the post's
 * dialog. ghost is the element that follows the pointer.
 */
export function useDrag(move: Move, blocked: boolean, ghost: RefObject<HTMLElement | null>) {
  const dragged = useRef(false);
  const end = useRef<(() => void) | null>(null);
  const latest = useRef({ move, blocked });
  useEffect(() => {
    latest.current = { move, blocked };
  });
  useEffect(() => () => end.current?.(), []);
  const begin = (post: Post, event: ReactPointerEvent) => {
    dragged.current = false;
    if (event.pointerType === 'touch' || event.button !== 0) {
      return;
    }
    const from = { x: event.clientX, y: event.clientY };
    let to = '';
    const follow = (at: PointerEvent) => {
      if (!dragged.current) {
        if (Math.hypot(at.clientX - from.x, at.clientY - from.y) < threshold) {
          return;
        }
        dragged.current = true;
        latest.current.move.pickUp(post, 'pointer');
      }
      if (ghost.current) {
        ghost.current.style.translate = `${String(at.clientX + 10)}px ${String(at.clientY + 10)}px`;
      }
      const day = document.elementFromPoint(at.clientX, at.clientY)?.closest<HTMLElement>('[data-day]');
      const next = day?.dataset['day'] ?? '';
      if (next && next !== to) {
        to = next;
        latest.current.move.over(next);
      }
    };
    const stop = () => {
      removeEventListener('pointermove', follow);
      removeEventListener('pointerup', drop);
      removeEventListener('pointercancel', cancel);
      removeEventListener('keydown', key, true);
      end.current = null;
    };
    // The click that follows the release is dispatched before the timer.
    const reset = () => {
      setTimeout(() => {
        dragged.current = false;
      });
    };
    const cancel = () => {
      stop();
      latest.current.move.cancel();
    };
    const drop = (at: PointerEvent) => {
      stop();
      reset();
      if (!dragged.current) {
        return;
      }
      const over = document.elementFromPoint(at.clientX, at.clientY)?.closest('[data-day]');
      if (over && to && !latest.current.blocked) {
        latest.current.move.drop(post, to);
      } else {
        latest.current.move.cancel();
      }
    };
    const key = (pressed: KeyboardEvent) => {
      if (pressed.key === 'Escape' && dragged.current) {
        pressed.preventDefault();
        cancel();
        addEventListener('pointerup', reset, { once: true });
      }
    };
    end.current?.();
    end.current = stop;
    addEventListener('pointermove', follow);
    addEventListener('pointerup', drop);
    addEventListener('pointercancel', cancel);
    addEventListener('keydown', key, true);
  };
  /** ended reports whether the current click ends a drag, and has to be ignored. */
  const ended = () => dragged.current;
  return { begin, ended };
}

export type Drag = ReturnType<typeof useDrag>;
