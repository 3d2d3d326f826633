// SPDX-License-Identifier: Apache-2.0

import { lazy, Suspense, useState } from 'react';

import type { Track } from '../../api/schema.gen';
import { duration } from '../../lib/format';
import { Button } from '../../ui/Button';
import { SelectField } from '../../ui/Field';
import css from './create.module.css';

const MusicDialog = lazy(() => import('./MusicDialog'));

interface MusicFieldProps {
  readonly tracks: readonly Track[];
  /** value is the id of the track, or empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** MusicField chooses the music of a video. The tracks can be played before. */
export function MusicField({ tracks, value, onChange }: MusicFieldProps) {
  const [listening, setListening] = useState(false);
  return (
    <div className={css['music']}>
      <SelectField
        label="Music"
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      >
        <option value="">None</option>
        {tracks.map((track) => (
          <option key={track.id} value={track.id}>
            {track.title} ({duration(track.duration_seconds)})
          </option>
        ))}
      </SelectField>
      <Button
        small
        icon="play"
        onClick={() => {
          setListening(true);
        }}
      >
        Listen to the tracks
      </Button>
      {listening && (
        <Suspense>
          <MusicDialog
            tracks={tracks}
            value={value}
            onUse={(id) => {
              onChange(id);
              setListening(false);
            }}
            onClose={() => {
              setListening(false);
            }}
          />
        </Suspense>
      )}
    </div>
  );
}
