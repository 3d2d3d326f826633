// SPDX-License-Identifier: Apache-2.0

import { deepEqual } from 'node:assert/strict';
import { test } from 'node:test';

import type { ConnectedAccount, Creator } from '../src/api/schema.gen';
import { emptyEntry, requestOf, type Draft, type TikTokDraft } from '../src/screens/composer/draft';

/** settings returns the settings of a post on TikTok for an account with disabled interactions. */
function settings(tiktok: Partial<TikTokDraft>, disabled: string[] | null): unknown {
  const creator = disabled && ({ disabled_interactions: disabled } as Creator);
  const account = { social_data_id: 5, platform: 'tiktok', creator } as ConnectedAccount;
  const draft: Draft = {
    entries: { 5: { ...emptyEntry, on: true, tiktok: { ...emptyEntry.tiktok, ...tiktok } } },
    media: 'auto',
    mode: 'direct',
    later: false,
    at: '',
  };
  return requestOf(draft, 1, [account], {}, 'UTC').platform_customizations?.['5']?.tiktok;
}

const all = { comment: true, duet: true, stitch: true };
const none = { commercial: { your_brand: false, branded_content: false }, ai_generated: false };

test('interactions that the account disabled are not allowed', () => {
  const sent = { allow_comment: true, allow_duet: false, allow_stitch: false, ...none };
  deepEqual(settings(all, ['duet', 'stitch']), sent);
});

test('interactions are sent as chosen if the account disabled none', () => {
  const sent = { allow_comment: true, allow_duet: true, allow_stitch: true, ...none };
  deepEqual(settings(all, []), sent);
  deepEqual(settings(all, null), sent);
});

test('what the content promotes is sent only if it is disclosed', () => {
  const promotes = { yourBrand: true, brandedContent: true };
  const commercial = { your_brand: true, branded_content: true };
  const off = { allow_comment: false, allow_duet: false, allow_stitch: false, ...none };
  deepEqual(settings({ ...promotes, disclose: false }, []), off);
  deepEqual(settings({ ...promotes, disclose: true }, []), { ...off, commercial });
});
