// SPDX-License-Identifier: Apache-2.0

import { useId, useState } from 'react';

import type { MediaItem } from '../../api/schema.gen';
import { duration } from '../../lib/format';
import { IconButton } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { Picture } from '../../ui/Picture';
import css from './create.module.css';

interface ClipPickerProps {
  readonly label: string;
  readonly items: readonly MediaItem[];
  readonly loading: boolean;
  readonly selected: readonly number[];
  readonly multiple?: boolean;
  readonly empty: string;
  readonly onSelect: (id: number) => void;
}

/** ClipPicker is a group of radio buttons or checkboxes over clips, each with a preview. */
export function ClipPicker({ label, items, loading, selected, multiple, empty, onSelect }: ClipPickerProps) {
  const name = useId();
  const [shown, setShown] = useState<MediaItem | null>(null);
  return (
    <fieldset className={css['picker']}>
      <legend>{label}</legend>
      {loading && (
        <div className={css['clips']} role="status" aria-label="Loading clips">
          {Array.from({ length: 6 }, (_, i) => (
            <Picture key={i} url={null} alt="" fallback="video" />
          ))}
        </div>
      )}
      {!loading && items.length === 0 && <p className={css['about']}>{empty}</p>}
      <ul className={css['clips']}>
        {items.map((item) => {
          const title = item.title ?? `Clip ${String(item.id)}`;
          const position = selected.indexOf(item.id);
          return (
            <li key={item.id} className={css['clip']}>
              <label>
                <input
                  type={multiple ? 'checkbox' : 'radio'}
                  name={name}
                  checked={position >= 0}
                  onChange={() => {
                    onSelect(item.id);
                  }}
                />
                <Picture url={item.thumbnail_url} alt="" fallback="video" />
                {multiple && position >= 0 && <span className={css['order']}>{position + 1}</span>}
                <span className={css['clipTitle']} dir="auto">
                  {title}
                </span>
              </label>
              <span className={css['audition']}>
                <IconButton
                  icon="play"
                  label={`Play ${title}`}
                  onClick={() => {
                    setShown(item);
                  }}
                />
              </span>
            </li>
          );
        })}
      </ul>
      {shown && (
        <Dialog
          title={shown.title ?? 'Clip'}
          onClose={() => {
            setShown(null);
          }}
        >
          {shown.url && <video className={css['player']} src={shown.url} controls autoPlay playsInline />}
          {shown.description && <p dir="auto">{shown.description}</p>}
          {shown.duration_seconds !== null && <p className={css['about']}>{duration(shown.duration_seconds)}</p>}
        </Dialog>
      )}
    </fieldset>
  );
}
