// SPDX-License-Identifier: Apache-2.0

import type { Creator } from '../../api/schema.gen';
import { privacyNames } from '../../lib/accounts';
import { Note } from '../../ui/Feedback';
import { SelectField } from '../../ui/Field';
import { CheckField } from '../../ui/MoreFields';
import css from './composer.module.css';
import type { TikTokDraft } from './draft';

interface TikTokFieldsProps {
  readonly creator: Creator | null;
  readonly photos: boolean;
  readonly value: TikTokDraft;
  readonly onChange: (change: Partial<TikTokDraft>) => void;
}

/**
 * TikTokFields has the choices that TikTok requires for each post: the audience without a default, interactions that
 * are off until the user switches them on, the disclosure of commercial content, and the consent.
 */
export function TikTokFields({ creator, photos, value, onChange }: TikTokFieldsProps) {
  if (!creator) {
    return (
      <Note tone="warn">
        TikTok has not reported which audiences and interactions this account offers, so it cannot post directly yet.
        This page continues when TikTok has answered.
      </Note>
    );
  }
  return <Choices creator={creator} photos={photos} value={value} onChange={onChange} />;
}

function Choices({ creator, photos, value, onChange }: TikTokFieldsProps & { readonly creator: Creator }) {
  const disabled = new Set(creator.disabled_interactions);
  const interactions = [
    { name: 'comment', label: 'Comment' },
    ...(photos ? [] : [{ name: 'duet', label: 'Duet' } as const, { name: 'stitch', label: 'Stitch' } as const]),
  ] as const;
  const branded = value.disclose && value.brandedContent;
  const alone = value.privacy === 'SELF_ONLY';
  return (
    <div className={css['tiktok']}>
      <SelectField
        label="Who can view this post"
        required
        value={value.privacy}
        {...(branded ? { hint: 'Branded content cannot be private.' } : {})}
        onChange={(event) => {
          onChange({ privacy: event.target.value as TikTokDraft['privacy'] });
        }}
      >
        <option value="" disabled>
          Choose
        </option>
        {creator.privacy_levels.map((level) => (
          <option key={level} value={level} disabled={branded && level === 'SELF_ONLY'}>
            {privacyNames[level] ?? level}
          </option>
        ))}
      </SelectField>
      <fieldset className={css['checks']}>
        <legend>Allow others to</legend>
        {interactions.map((interaction) => (
          <CheckField
            key={interaction.name}
            label={interaction.label}
            checked={value[interaction.name] && !disabled.has(interaction.name)}
            disabled={disabled.has(interaction.name)}
            {...(disabled.has(interaction.name) ? { hint: 'The account has disabled it.' } : {})}
            onChange={(event) => {
              onChange({ [interaction.name]: event.target.checked });
            }}
          />
        ))}
      </fieldset>
      <CheckField
        label="Disclose commercial content"
        hint="The post promotes your own business, a brand, a product or a service."
        checked={value.disclose}
        onChange={(event) => {
          onChange({ disclose: event.target.checked, yourBrand: false, brandedContent: false });
        }}
      />
      {value.disclose && (
        <fieldset className={css['checks']}>
          <legend>The content promotes</legend>
          <CheckField
            label="Your brand"
            hint="You promote yourself or your own business."
            checked={value.yourBrand}
            onChange={(event) => {
              onChange({ yourBrand: event.target.checked });
            }}
          />
          <CheckField
            label="Branded content"
            hint={
              alone && !value.brandedContent
                ? 'Branded content cannot be private: choose another audience first.'
                : 'You promote another brand or a third party.'
            }
            checked={value.brandedContent}
            disabled={alone && !value.brandedContent}
            onChange={(event) => {
              onChange({ brandedContent: event.target.checked });
            }}
          />
          {(value.yourBrand || value.brandedContent) && (
            <Note tone="info">
              Your {photos ? 'photos' : 'video'} will be labeled as &quot;
              {value.brandedContent ? 'Paid partnership' : 'Promotional content'}&quot;.
            </Note>
          )}
        </fieldset>
      )}
      <CheckField
        label="AI-generated"
        hint="Labels the post as created by AI."
        checked={value.aiGenerated}
        onChange={(event) => {
          onChange({ aiGenerated: event.target.checked });
        }}
      />
      <p className={css['muted']}>
        By posting, you agree to TikTok&apos;s{' '}
        {branded && (
          <>
            <a href="https://www.tiktok.com/legal/page/global/bc-policy/en" target="_blank" rel="noreferrer">
              Branded Content Policy
            </a>{' '}
            and{' '}
          </>
        )}
        <a href="https://www.tiktok.com/legal/page/global/music-usage-confirmation/en" target="_blank" rel="noreferrer">
          Music Usage Confirmation
        </a>
        . After you publish, it may take a few minutes for the content to process and to be visible on your profile.
      </p>
    </div>
  );
}
