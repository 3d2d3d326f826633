// SPDX-License-Identifier: Apache-2.0

import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'node:test';

import type { Overlay, Slide } from '../src/api/schema.gen';
import {
  following,
  isEmpty,
  noDraft,
  noEdit,
  rebase,
  requestOf,
  sentOf,
  withoutStored,
  type Base,
  type Draft,
} from '../src/screens/editor/draft';

/** baseWith returns a slideshow with one slide, whose texts have the ids 1, 2 and so on. */
function baseWith(revision: number, texts: readonly string[], status = 'success_slideshow'): Base {
  const textOverlays = texts.map((text, i) => ({ id: i + 1, text }) as Overlay);
  const slides = [{ id: 7, textOverlays } as Slide];
  const data = { slides } as Base['data'];
  return { id: 1, title: null, revision, aspect_ratio: '9:16', status, render_status: 'none', data };
}

const adding = (...texts: readonly string[]): Draft => ({
  ...noDraft,
  slides: { 7: { ...noEdit, added: texts.map((text, i) => ({ key: `new-${String(i)}`, set: { text } })) } },
});

test('following adopts a layout that has the revision of the base', () => {
  const base = baseWith(2, [], 'processing');
  equal(following(base, baseWith(2, [], 'processing'), true), 'same');
  equal(following(base, baseWith(2, []), true), 'layout');
  equal(following(base, baseWith(2, []), false), 'layout');
  equal(following(base, baseWith(2, [], 'failed'), false), 'layout');
});

test('following adopts the layout of a base that was not marked as unfinished', () => {
  equal(following(baseWith(2, []), baseWith(2, []), true), 'layout');
  equal(following(baseWith(2, []), baseWith(2, []), false), 'same');
});

test('following reports newer revisions, and ignores older ones', () => {
  equal(following(baseWith(2, []), baseWith(3, [], 'processing'), false), 'revision');
  equal(following(baseWith(2, []), baseWith(1, [], 'failed'), true), 'same');
});

test('an added text that the newer version has is not added again', () => {
  const before = baseWith(1, ['Title']);
  const draft = adding('More');
  const next = baseWith(2, ['Title', 'More']);
  const after = rebase(withoutStored(draft, sentOf(draft, before), next), [7], next);
  equal(isEmpty(after, next), true);
});

test('an added text that the newer version does not have is kept', () => {
  const before = baseWith(1, ['Title']);
  const draft = adding('More', 'Most');
  const next = baseWith(2, ['Title', 'More']);
  const after = withoutStored(draft, sentOf(draft, before), next);
  deepEqual(after.slides[7]?.added, [{ key: 'new-1', set: { text: 'Most' } }]);
});

test('a text that was stored before does not count as the added one', () => {
  const before = baseWith(1, ['Same']);
  const draft = adding('Same');
  equal(withoutStored(draft, sentOf(draft, before), baseWith(2, ['Same'])).slides[7]?.added.length, 1);
});

test('two equal added texts need two stored ones', () => {
  const before = baseWith(1, ['Title']);
  const draft = adding('More', 'More');
  equal(withoutStored(draft, sentOf(draft, before), baseWith(2, ['Title', 'More'])).slides[7]?.added.length, 1);
  equal(withoutStored(draft, sentOf(draft, before), baseWith(2, ['Title', 'More', 'More'])).slides[7]?.added.length, 0);
});

test('a text that was changed or removed after it was sent becomes a change of the stored one', () => {
  const before = baseWith(1, ['Title']);
  const sent = sentOf(adding('More'), before);
  const next = baseWith(2, ['Title', 'More']);
  const changed: Draft = {
    ...noDraft,
    slides: { 7: { ...noEdit, added: [{ key: 'new-0', set: { text: 'Else' } }] } },
  };
  deepEqual(requestOf(withoutStored(changed, sent, next), next).slides, [
    { id: 7, textOverlays: [{ id: 2, text: 'Else' }] },
  ]);
  deepEqual(requestOf(withoutStored(noDraft, sent, next), next).slides, [
    { id: 7, textOverlays: [{ id: 2, remove: true }] },
  ]);
});
