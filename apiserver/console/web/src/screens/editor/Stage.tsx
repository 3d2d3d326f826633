// SPDX-License-Identifier: Apache-2.0

import { useId, useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';

import type { SafeZone } from '../../api/schema.gen';
import { classes } from '../../ui/classes';
import type { Block, OverlaySet } from './draft';
import css from './editor.module.css';

interface StageProps {
  readonly ratio: string;
  readonly blocks: readonly Block[];
  readonly selected: string | null;
  readonly safe: SafeZone | undefined;
  readonly onSelect: (key: string | null) => void;
  readonly onChange: (key: string, set: OverlaySet) => void;
  readonly onRemove: (key: string) => void;
  readonly children: ReactNode;
}

interface Grip {
  readonly key: string;
  readonly edge: string;
  readonly startX: number;
  readonly startY: number;
  readonly block: Block;
}

const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/**
 * Stage is the drawn slide with a box for each block of text. Boxes are moved by pointer and arrow keys. Their edges
 * change the width, as do the arrow keys with Ctrl.
 */
export function Stage({ ratio, blocks, selected, safe, onSelect, onChange, onRemove, children }: StageProps) {
  const stage = useRef<HTMLDivElement>(null);
  const keys = useId();
  const grip = useRef<Grip | null>(null);
  const [dragged, setDragged] = useState(false);
  const [width = 9, height = 16] = ratio.split(':').map(Number);
  const move = (event: PointerEvent) => {
    const held = grip.current;
    const box = stage.current?.getBoundingClientRect();
    if (!held || !box) {
      return;
    }
    const dx = ((event.clientX - held.startX) / box.width) * 100;
    const dy = ((event.clientY - held.startY) / box.height) * 100;
    if (!dragged && Math.hypot(event.clientX - held.startX, event.clientY - held.startY) < 4) {
      return;
    }
    setDragged(true);
    const { position, maxWidth } = held.block.shown;
    if (held.edge) {
      onChange(held.key, { maxWidth: within(maxWidth + 2 * (held.edge === 'left' ? -dx : dx), 10, 100) });
    } else {
      onChange(held.key, { position: { x: within(position.x + dx, 2, 98), y: within(position.y + dy, 2, 98) } });
    }
  };
  const press = (event: KeyboardEvent, { key, shown }: Block) => {
    const step = steps[event.key];
    if (step) {
      event.preventDefault();
      const [x, y] = step;
      const size = event.shiftKey ? 5 : 1;
      if (event.ctrlKey || event.metaKey) {
        onChange(key, { maxWidth: within(shown.maxWidth + (x - y) * size, 10, 100) });
      } else {
        const { position } = shown;
        onChange(key, {
          position: { x: within(position.x + x * size, 2, 98), y: within(position.y + y * size, 2, 98) },
        });
      }
    } else if (event.key === 'Delete' || event.key === 'Backspace') {
      event.preventDefault();
      onRemove(key);
    } else if (event.key === 'Escape') {
      onSelect(null);
    }
  };
  return (
    <div ref={stage} className={css['stage']} style={{ aspectRatio: `${String(width)} / ${String(height)}` }}>
      {children}
      <span id={keys} hidden>
        Arrow keys move the text, with Shift in larger steps. With Ctrl they change its width. Delete removes it.
      </span>
      {dragged && safe && (
        <span
          className={css['safe']}
          style={{
            left: `${String(safe.left)}%`,
            right: `${String(safe.right)}%`,
            top: `${String(safe.top)}%`,
            bottom: `${String(safe.bottom)}%`,
          }}
        />
      )}
      {blocks.map((block, i) => {
        const { position, maxWidth, text } = block.shown;
        const name = text.trim() || 'empty';
        return (
          <button
            key={block.key}
            type="button"
            data-block={block.key}
            className={classes(css['box'], block.key === selected && css['chosen'])}
            style={{
              left: `${String(position.x)}%`,
              top: `${String(position.y)}%`,
              width: `${String(maxWidth)}%`,
              height: `${String(heightOf(block, width, height))}%`,
            }}
            aria-pressed={block.key === selected}
            aria-label={`Text ${String(i + 1)} at ${placeOf(block)}: ${name}`}
            aria-describedby={keys}
            onFocus={() => {
              onSelect(block.key);
            }}
            onKeyDown={(event) => {
              press(event, block);
            }}
            onPointerDown={(event) => {
              if (event.button !== 0) {
                return;
              }
              event.currentTarget.setPointerCapture(event.pointerId);
              const edge = event.target instanceof HTMLElement ? (event.target.dataset['edge'] ?? '') : '';
              grip.current = { key: block.key, edge, startX: event.clientX, startY: event.clientY, block };
              onSelect(block.key);
            }}
            onPointerMove={move}
            onPointerUp={() => {
              grip.current = null;
              setDragged(false);
            }}
            onPointerCancel={() => {
              grip.current = null;
              setDragged(false);
            }}
          >
            <span data-edge="left" className={classes(css['edge'], css['edgeLeft'])} />
            <span data-edge="right" className={classes(css['edge'], css['edgeRight'])} />
          </button>
        );
      })}
    </div>
  );
}

function placeOf(block: Block): string {
  const { x, y } = block.shown.position;
  return `${String(Math.round(x))}, ${String(Math.round(y))} percent`;
}

function within(value: number, min: number, max: number): number {
  return Math.round(Math.min(max, Math.max(min, value)) * 10) / 10;
}

/** heightOf estimates the height of a box in percent of the canvas. The API reports the width of a block only. */
function heightOf(block: Block, width: number, height: number): number {
  const { text, fontSize, lineHeight, maxWidth } = block.shown;
  const perLine = Math.max(1, (maxWidth * 10.8) / (fontSize * 0.56));
  const lines = text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / perLine)), 0);
  return Math.min(100, (lines * fontSize * lineHeight * 100) / ((1080 * height) / width) + 1);
}
