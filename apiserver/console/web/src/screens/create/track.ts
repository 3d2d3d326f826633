// SPDX-License-Identifier: Apache-2.0

import type { Track } from '../../api/schema.gen';
import { duration } from '../../lib/format';

/** trackFacts returns what is known about a track, with its length first. */
export function trackFacts(
  track: Pick<Track, 'duration_seconds' | 'artist' | 'genre' | 'moods' | 'bpm' | 'license'>,
): string {
  const { license } = track;
  return [
    duration(track.duration_seconds),
    track.artist,
    track.genre,
    track.moods.join(', '),
    track.bpm !== null && `${String(track.bpm)} bpm`,
    license && (license.attribution_required ? `${license.name}, name the artist` : license.name),
  ]
    .filter(Boolean)
    .join(' · ');
}
