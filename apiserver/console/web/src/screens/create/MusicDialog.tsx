// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useRef, useState } from 'react';

import type { Track } from '../../api/schema.gen';
import { forget, steady } from '../../lib/urls';
import { Button, IconButton } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { Note } from '../../ui/Feedback';
import css from './create.module.css';
import { trackFacts } from './track';

interface MusicDialogProps {
  readonly tracks: readonly Track[];
  readonly value: string;
  readonly onUse: (id: string) => void;
  readonly onClose: () => void;
}

/** MusicDialog plays tracks, one at a time, because they share one player. Nothing plays before a click. */
export default function MusicDialog({ tracks, value, onUse, onClose }: MusicDialogProps) {
  const player = useRef<HTMLAudioElement>(null);
  const [current, setCurrent] = useState<Track | null>(null);
  const [playing, setPlaying] = useState(false);
  const [failed, setFailed] = useState(false);
  const toggle = (track: Track) => {
    const audio = player.current;
    if (!audio) {
      return;
    }
    if (track.id === current?.id && playing) {
      audio.pause();
      return;
    }
    if (track.id !== current?.id || failed) {
      audio.src = steady(track.url);
      setCurrent(track);
      setFailed(false);
    }
    // The error event reports a failure. A pause during the start rejects the promise as well.
    audio.play().catch(() => undefined);
  };
  return (
    <Dialog
      title="Music"
      onClose={onClose}
      footer={
        <audio
          ref={player}
          className={css['audio']}
          aria-label={current ? current.title : 'No track chosen'}
          controls
          preload="none"
          hidden={!current}
          onPlay={() => {
            setPlaying(true);
          }}
          onPause={() => {
            setPlaying(false);
          }}
          onError={() => {
            setPlaying(false);
            setFailed(true);
            if (current) {
              forget(current.url);
            }
          }}
        />
      }
    >
      {failed && current && (
        <div role="alert">
          <Note tone="bad">
            The track <bdi>{current.title}</bdi> cannot be played. Reload the page and try again.
          </Note>
        </div>
      )}
      <ul className={css['tracks']} aria-label="Tracks">
        {tracks.map((track) => {
          const active = playing && track.id === current?.id;
          const chosen = String(track.id) === value;
          return (
            <li key={track.id} className={css['track']}>
              <IconButton
                icon={active ? 'pause' : 'play'}
                label={`${active ? 'Pause' : 'Play'} ${track.title}`}
                onClick={() => {
                  toggle(track);
                }}
              />
              <span className={css['trackText']}>
                <span dir="auto">{track.title}</span>
                <span className={css['about']} dir="auto">
                  {trackFacts(track)}
                </span>
              </span>
              <Button
                small
                icon={chosen ? 'check' : undefined}
                aria-label={`Use ${track.title}`}
                aria-pressed={chosen}
                onClick={() => {
                  onUse(String(track.id));
                }}
              >
                Use
              </Button>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
