// SPDX-License-Identifier: Apache-2.0

import { equal } from 'node:assert/strict';
import { test } from 'node:test';

import { trackFacts } from '../src/screens/create/track';

test('a track is described by its length and what is known about it', () => {
  const license = { name: 'CC BY 4.0', url: null, attribution_required: true };
  equal(
    trackFacts({ duration_seconds: 64.6, artist: 'Ada', genre: 'Lo-fi', moods: ['calm', 'warm'], bpm: 80, license }),
    '1:05 · Ada · Lo-fi · calm, warm · 80 bpm · CC BY 4.0, name the artist',
  );
  equal(
    trackFacts({ duration_seconds: 30, artist: null, genre: null, moods: [], bpm: null, license: null }),
    '0:30',
  );
});
