// SPDX-License-Identifier: Apache-2.0

import { useId } from 'react';

import type { ConnectedAccount, PlatformRule, ShortDetail, Verdict } from '../../api/schema.gen';
import { connectionState, issueTone, usable } from '../../lib/accounts';
import { platformName } from '../../lib/format';
import { lengthOf, unitName } from '../../lib/text';
import { Button } from '../../ui/Button';
import { classes } from '../../ui/classes';
import { Badge, Note } from '../../ui/Feedback';
import { SelectField, TextField } from '../../ui/Field';
import { AreaField } from '../../ui/MoreFields';
import { Avatar } from '../../ui/Picture';
import css from './composer.module.css';
import type { Draft, Entry } from './draft';
import { PlatformFields } from './PlatformFields';
import { TikTokFields } from './TikTokFields';

interface AccountCardProps {
  readonly account: ConnectedAccount;
  readonly rule: PlatformRule | undefined;
  readonly entry: Entry;
  readonly verdict: Verdict | undefined;
  readonly short: ShortDetail;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Entry>) => void;
}

/** AccountCard is one account of the composer: its texts, its settings and what the validation found. */
export function AccountCard({ account, rule, entry, verdict, short, draft, onChange }: AccountCardProps) {
  const id = useId();
  const name = account.account_name ?? account.username ?? platformName(account.platform);
  const able = usable(account);
  const state = connectionState(account.token_status);
  return (
    <section className={classes(css['account'], entry.on && css['on'])} aria-labelledby={`${id}-name`}>
      <label className={css['head']}>
        <input
          type="checkbox"
          checked={entry.on}
          disabled={!able}
          onChange={(event) => {
            onChange({ on: event.target.checked });
          }}
        />
        <Avatar url={account.creator?.avatar_url ?? account.avatar_url} name={name} platform={account.platform} />
        <span className={css['names']}>
          <span id={`${id}-name`} dir="auto">
            {account.creator?.nickname ?? name}
          </span>
          <small>
            {platformName(account.platform)}
            {account.username && (
              <>
                {' '}
                <bdi>@{account.username}</bdi>
              </>
            )}
          </small>
        </span>
        {!account.ready_to_post && (
          <Badge tone={able ? 'warn' : state.tone}>{able ? 'Not ready' : state.text}</Badge>
        )}
        {entry.on && verdict && (
          <Badge tone={verdict.ok ? 'good' : 'bad'}>{verdict.ok ? 'OK' : 'Problem'}</Badge>
        )}
      </label>
      {!entry.on && account.issues.map((issue) => (
        <Note key={issue.code} tone={issueTone(issue)}>
          {issue.message}
        </Note>
      ))}
      {entry.on && rule && (
        <Fields
          account={account}
          rule={rule}
          entry={entry}
          verdict={verdict}
          short={short}
          draft={draft}
          onChange={onChange}
        />
      )}
    </section>
  );
}

type FieldsProps = AccountCardProps & { readonly rule: PlatformRule };

function Fields({ account, rule, entry, verdict, short, draft, onChange }: FieldsProps) {
  const photos = verdict?.media_kind === 'photo_set' || draft.media === 'photo_set';
  const titled = rule.title_max > 0 && (account.platform !== 'tiktok' || photos);
  const title = entry.title ?? verdict?.title ?? short.title ?? '';
  const caption = entry.caption ?? verdict?.caption ?? short.caption ?? '';
  const captionMax = photos && rule.photo_caption_max > 0 ? rule.photo_caption_max : rule.caption_max;
  const slides = 'slides' in short.type_data ? short.type_data.slides.length : 0;
  const cover = photos ? rule.cover.photo : rule.cover.offset || rule.cover.image;
  return (
    <div className={css['fields']}>
      {titled && (
        <TextField
          label={`Title, at most ${String(rule.title_max)} ${unitName(rule.title_unit)}`}
          value={title}
          {...(lengthOf(title, rule.title_unit) > rule.title_max
            ? { problem: `${String(lengthOf(title, rule.title_unit) - rule.title_max)} too long` }
            : {})}
          onChange={(event) => {
            onChange({ title: event.target.value });
          }}
        />
      )}
      <AreaField
        label="Caption"
        rows={5}
        value={caption}
        counter={{ used: lengthOf(caption, rule.caption_unit), max: captionMax, unit: unitName(rule.caption_unit) }}
        onChange={(event) => {
          onChange({ caption: event.target.value });
        }}
      />
      {(entry.caption !== null || entry.title !== null) && (
        <div>
          <Button
            small
            look="quiet"
            icon="refresh"
            onClick={() => {
              onChange({ caption: null, title: null });
            }}
          >
            Use the short&apos;s text
          </Button>
        </div>
      )}
      {rule.first_comment.max > 0 && (
        <AreaField
          label="First comment (optional)"
          rows={2}
          value={entry.comment}
          counter={{
            used: lengthOf(entry.comment, rule.first_comment.unit),
            max: rule.first_comment.max,
            unit: unitName(rule.first_comment.unit),
          }}
          onChange={(event) => {
            onChange({ comment: event.target.value });
          }}
        />
      )}
      {cover && slides > 0 && (
        <SelectField
          label="Cover"
          value={entry.cover}
          onChange={(event) => {
            onChange({ cover: event.target.value });
          }}
        >
          <option value="">Chosen by the platform</option>
          {Array.from({ length: slides }, (_, i) => (
            <option key={i} value={i + 1}>
              Slide {i + 1}
            </option>
          ))}
        </SelectField>
      )}
      {account.platform === 'tiktok' ? (
        draft.mode === 'direct' && (
          <TikTokFields
            creator={account.creator}
            photos={photos}
            value={entry.tiktok}
            onChange={(change) => {
              onChange({ tiktok: { ...entry.tiktok, ...change } });
            }}
          />
        )
      ) : (
        <PlatformFields
          rule={rule}
          values={entry.settings}
          onChange={(settings) => {
            onChange({ settings });
          }}
        />
      )}
      <div className={css['issues']} aria-live="polite">
        {verdict?.issues.map((issue) => (
          <Note key={issue.code + issue.message} tone={issueTone(issue)}>
            {issue.message}
          </Note>
        ))}
      </div>
      <p className={css['muted']}>
        {account.rate_limit.remaining} of {account.rate_limit.max} posts left. {account.rate_limit.label}.
      </p>
    </div>
  );
}
