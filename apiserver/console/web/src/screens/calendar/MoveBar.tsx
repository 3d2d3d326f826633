// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, type KeyboardEvent } from 'react';

import { dayName, platformName, time } from '../../lib/format';
import { postName, postTime } from '../../lib/posts';
import { addDays, addMonths } from '../../lib/time';
import { useWorkspace } from '../../shell/workspace';
import { Button, IconButton } from '../../ui/Button';
import { classes } from '../../ui/classes';
import css from './move.module.css';
import type { Check, Moving } from './move';

interface MoveBarProps {
  readonly moving: Moving;
  readonly check: Check;
  readonly onOver: (day: string) => void;
  readonly onDrop: () => void;
  readonly onCancel: () => void;
}

/** MoveBar moves a post by keyboard or by its buttons. It has the focus until the post is dropped. */
export function MoveBar({ moving, check, onOver, onDrop, onCancel }: MoveBarProps) {
  const { zone } = useWorkspace();
  const bar = useRef<HTMLDivElement>(null);
  const { post, to } = moving;
  const keyboard = moving.by === 'keyboard';
  useEffect(() => {
    if (!keyboard) {
      return undefined;
    }
    const before = document.activeElement;
    bar.current?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) {
        before.focus();
      }
    };
  }, [keyboard]);
  const press = (event: KeyboardEvent) => {
    const targets: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => { onOver(addDays(to, -1)); },
      ArrowRight: () => { onOver(addDays(to, 1)); },
      ArrowUp: () => { onOver(addDays(to, -7)); },
      ArrowDown: () => { onOver(addDays(to, 7)); },
      PageUp: () => { onOver(addMonths(to, -1)); },
      PageDown: () => { onOver(addMonths(to, 1)); },
      Escape: onCancel,
    };
    const act = targets[event.key] ?? (isDrop(event) ? onDrop : undefined);
    if (act) {
      event.preventDefault();
      act();
    }
  };
  return (
    <div
      ref={bar}
      className={classes(css['bar'], !keyboard && css['floating'])}
      role="toolbar"
      tabIndex={-1}
      aria-label="Move the post. Arrow keys choose the day, Enter drops, Escape cancels."
      onKeyDown={press}
    >
      <div className={css['text']} aria-live="assertive">
        <p>
          <strong dir="auto">{postName(post)}</strong>, {platformName(post.platform)}
        </p>
        <p>
          {dayName(to)}, {time(postTime(post), zone)}
        </p>
        {check.blocked && <p className={css['problem']}>{check.blocked}</p>}
        {check.warnings.map((warning) => (
          <p key={warning} className={css['warning']} dir="auto">
            {warning}
          </p>
        ))}
      </div>
      {keyboard && (
        <div className={css['buttons']}>
          <IconButton
            icon="back"
            label="A day earlier"
            onClick={() => {
              onOver(addDays(to, -1));
            }}
          />
          <IconButton
            icon="next"
            label="A day later"
            onClick={() => {
              onOver(addDays(to, 1));
            }}
          />
          <Button onClick={onCancel}>Cancel</Button>
          <Button look="primary" disabled={check.blocked !== ''} onClick={onDrop}>
            Move here
          </Button>
        </div>
      )}
    </div>
  );
}

/** isDrop reports whether the key drops the post. On a button, Enter and Space press the button. */
function isDrop(event: KeyboardEvent): boolean {
  return (event.key === 'Enter' || event.key === ' ') && event.target === event.currentTarget;
}
