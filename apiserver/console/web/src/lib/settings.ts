// SPDX-License-Identifier: Apache-2.0

import { privacyNames } from './accounts';
import { sentence } from './format';

const names: Readonly<Record<string, string>> = {
  ai_generated: 'AI-generated',
  allow_comment: 'Comments',
  allow_duet: 'Duets',
  allow_stitch: 'Stitches',
  commercial: 'Commercial content',
  'commercial.branded_content': 'Branded content',
  'commercial.your_brand': 'Promotes your brand',
  cover_offset_ms: 'Cover: milliseconds into the video',
  made_for_kids: 'Made for kids',
  notify_subscribers: 'Notify subscribers',
  privacy: 'Who can view the video',
  privacy_level: 'Who can view this post',
  share_to_feed: 'Also in the feed',
  synthetic_media: 'Altered or synthetic content',
  visibility: 'Who can view the post',
};

/** settingName returns the label of a platform setting. The service lists the settings by their published names. */
export function settingName(name: string): string {
  return names[name] ?? sentence(name);
}

/** settingValue returns the label of a value of a platform setting. */
export function settingValue(value: string): string {
  return privacyNames[value] ?? sentence(value);
}
