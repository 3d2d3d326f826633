// SPDX-License-Identifier: Apache-2.0

import type {
  ConnectedAccount,
  PlatformRule,
  PostCustomization,
  PostRequest,
  TikTokSettings,
} from '../../api/schema.gen';
import { usable } from '../../lib/accounts';
import { fromInput } from '../../lib/time';

/** TikTokDraft has no preselected audience and no interaction that is on by default, as TikTok requires. */
export interface TikTokDraft {
  readonly privacy: '' | NonNullable<TikTokSettings['privacy_level']>;
  readonly comment: boolean;
  readonly duet: boolean;
  readonly stitch: boolean;
  readonly disclose: boolean;
  readonly yourBrand: boolean;
  readonly brandedContent: boolean;
  readonly aiGenerated: boolean;
}

/** Entry is what the user entered for one account. A null text is the short's own text. */
export interface Entry {
  readonly on: boolean;
  readonly title: string | null;
  readonly caption: string | null;
  readonly comment: string;
  /** The number of the slide for the cover, or an empty string for the platform's choice. */
  readonly cover: string;
  /** Settings of the platform by their published names. An empty value is the default. */
  readonly settings: Readonly<Record<string, string>>;
  readonly tiktok: TikTokDraft;
}

export interface Draft {
  readonly entries: Readonly<Record<number, Entry>>;
  readonly media: NonNullable<PostRequest['media']>;
  readonly mode: NonNullable<PostRequest['posting_mode']>;
  readonly later: boolean;
  readonly at: string;
}

export type Change =
  | { readonly type: 'entry'; readonly account: number; readonly change: Partial<Entry> }
  | { readonly type: 'draft'; readonly change: Partial<Omit<Draft, 'entries'>> };

export const emptyEntry: Entry = {
  on: false,
  title: null,
  caption: null,
  comment: '',
  cover: '',
  settings: {},
  tiktok: {
    privacy: '',
    comment: false,
    duet: false,
    stitch: false,
    disclose: false,
    yourBrand: false,
    brandedContent: false,
    aiGenerated: false,
  },
};

export function entryOf(draft: Draft, account: number): Entry {
  return draft.entries[account] ?? emptyEntry;
}

export function reduce(draft: Draft, action: Change): Draft {
  if (action.type === 'draft') {
    return { ...draft, ...action.change };
  }
  const entry = { ...entryOf(draft, action.account), ...action.change };
  return { ...draft, entries: { ...draft.entries, [action.account]: entry } };
}

/** requestOf returns the request for the chosen accounts, in the order in which they are shown. */
export function requestOf(
  draft: Draft,
  short: number,
  accounts: readonly ConnectedAccount[],
  rules: Readonly<Record<string, PlatformRule>>,
  zone: string,
): PostRequest {
  const chosen = accounts.filter((account) => entryOf(draft, account.social_data_id).on);
  const customizations: Record<string, PostCustomization> = {};
  for (const account of chosen) {
    const entry = entryOf(draft, account.social_data_id);
    const customization = customizationOf(entry, account, rules[account.platform], draft);
    if (Object.keys(customization).length > 0) {
      customizations[String(account.social_data_id)] = customization;
    }
  }
  const at = draft.later ? fromInput(draft.at, zone) : null;
  return {
    short_id: short,
    social_data_ids: chosen.map((account) => account.social_data_id),
    ...(at ? { scheduled_at: at.toISOString().replace('.000Z', 'Z') } : {}),
    ...(draft.media === 'auto' ? {} : { media: draft.media }),
    ...(draft.mode === 'direct' ? {} : { posting_mode: draft.mode }),
    ...(Object.keys(customizations).length > 0 ? { platform_customizations: customizations } : {}),
  };
}

function customizationOf(
  entry: Entry,
  account: ConnectedAccount,
  rule: PlatformRule | undefined,
  draft: Draft,
): PostCustomization {
  const settings =
    account.platform === 'tiktok'
      ? draft.mode === 'direct'
        ? tiktokOf(entry.tiktok, account.creator?.disabled_interactions ?? [])
        : {}
      : settingsOf(entry.settings, rule);
  return {
    ...(entry.title === null ? {} : { title: entry.title }),
    ...(entry.caption === null ? {} : { caption: entry.caption }),
    ...(entry.comment === '' ? {} : { first_comment: entry.comment }),
    ...(entry.cover === '' ? {} : { cover: { slide: Number(entry.cover) } }),
    ...(Object.keys(settings).length > 0 ? { [account.platform]: settings } : {}),
  };
}

/** tiktokOf returns the settings of a post. The creator may have disabled interactions after they were chosen. */
function tiktokOf(tiktok: TikTokDraft, disabled: readonly string[]): TikTokSettings {
  return {
    ...(tiktok.privacy === '' ? {} : { privacy_level: tiktok.privacy }),
    allow_comment: tiktok.comment && !disabled.includes('comment'),
    allow_duet: tiktok.duet && !disabled.includes('duet'),
    allow_stitch: tiktok.stitch && !disabled.includes('stitch'),
    commercial: {
      your_brand: tiktok.disclose && tiktok.yourBrand,
      branded_content: tiktok.disclose && tiktok.brandedContent,
    },
    ai_generated: tiktok.aiGenerated,
  };
}

/** settingsOf returns the changed settings with the types that the platform rule lists. */
function settingsOf(values: Readonly<Record<string, string>>, rule: PlatformRule | undefined): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const setting of rule?.settings ?? []) {
    const value = values[setting.name] ?? '';
    if (value === '') {
      continue;
    }
    switch (setting.value_type) {
      case 'boolean':
        settings[setting.name] = value === 'true';
        break;
      case 'integer':
        settings[setting.name] = Number(value);
        break;
      default:
        settings[setting.name] = value;
    }
  }
  return settings;
}

/** awaitsCreator reports whether TikTok has not reported yet what the account may choose for a direct post. */
export function awaitsCreator(account: ConnectedAccount): boolean {
  return account.platform === 'tiktok' && account.creator === null && usable(account);
}

/** missing returns what has to be chosen for an account before a post can be sent, or an empty string. */
export function missing(entry: Entry, account: ConnectedAccount, mode: Draft['mode']): string {
  if (account.platform !== 'tiktok' || mode !== 'direct') {
    return '';
  }
  if (account.creator === null) {
    return 'Wait until TikTok reports what the account offers.';
  }
  if (entry.tiktok.privacy === '') {
    return 'Choose who can view the post.';
  }
  if (entry.tiktok.disclose && !entry.tiktok.yourBrand && !entry.tiktok.brandedContent) {
    return 'Choose whether the content promotes your brand, a third party, or both.';
  }
  return '';
}
