// SPDX-License-Identifier: Apache-2.0

import type { Connections } from '../../api/schema.gen';
import { connectionState, usable } from '../../lib/accounts';
import { platformName } from '../../lib/format';
import { ButtonLink } from '../../ui/Button';
import { Badge, Note } from '../../ui/Feedback';
import { Segmented, SelectField } from '../../ui/Field';
import { PlatformIcon } from '../../ui/Icon';
import { CheckField } from '../../ui/MoreFields';
import { Panel } from '../../ui/Panel';
import { Avatar } from '../../ui/Picture';
import css from './automations.module.css';
import { makesShorts } from './draft';
import type { Form } from './fields';

/** PublishFields chooses where and how runs post, and whether posts wait for approval. */
export function PublishFields({ connections, ...form }: Form & { readonly connections: Connections }) {
  const { draft, change, text, problem } = form;
  const wrong = problem('publish');
  return (
    <Panel title="Publish">
      <div className={css['form']}>
        <Segmented
          label="Publish on"
          value={draft.to}
          choices={[
            { value: 'accounts', label: 'Accounts' },
            { value: 'platforms', label: 'Platforms' },
          ]}
          onChange={(to) => {
            change({ to });
          }}
        />
        {draft.to === 'accounts' ? (
          <Accounts connections={connections} {...form} />
        ) : (
          <Platforms connections={connections} {...form} />
        )}
        {wrong && (
          <p className={css['problem']} role="alert">
            {wrong}
          </p>
        )}
        <div className={css['two']}>
          <SelectField
            label="Mode"
            hint={draft.mode === 'draft' ? 'A person publishes it in the app of the platform.' : undefined}
            {...text('mode')}
          >
            <option value="direct">Publish directly</option>
            <option value="draft">Send as draft</option>
          </SelectField>
          <SelectField label="Content" {...text('media')}>
            <option value="auto">Video, or photos if there is none</option>
            <option value="video">Video</option>
            <option value="photo_set">Slides as photos</option>
          </SelectField>
          <SelectField label="Approval" {...text('approval')}>
            <option value="inherit">As the brand requires</option>
            <option value="always">All posts wait for approval</option>
          </SelectField>
          <SelectField label="Posts that are not approved in time" {...text('unapproved')}>
            <option value="skip">Are cancelled</option>
            <option value="hold">Stay drafts</option>
          </SelectField>
        </div>
        {draft.media === 'photo_set' && makesShorts(draft.type) && (
          <CheckField
            label="Let TikTok add music to the photos"
            checked={draft.music}
            onChange={(event) => {
              change({ music: event.target.checked });
            }}
          />
        )}
        <p className={css['muted']}>
          Everything else, such as who can view a post, is as in the settings of the brand under Posting.
        </p>
      </div>
    </Panel>
  );
}

type TargetProps = Pick<Form, 'draft' | 'change'> & { readonly connections: Connections };

function toggled<Value>(list: readonly Value[], value: Value, on: boolean): Value[] {
  const others = list.filter((one) => one !== value);
  return on ? [...others, value] : others;
}

function Accounts({ draft, change, connections: { accounts } }: TargetProps) {
  if (accounts.length === 0) {
    return (
      <Note>
        <p>This brand has no account yet.</p>
        <div>
          <ButtonLink small to="/connections" icon="connect">
            Open connections
          </ButtonLink>
        </div>
      </Note>
    );
  }
  return (
    <fieldset className={css['targets']}>
      <legend className={css['unseen']}>Accounts</legend>
      {accounts.map((account) => {
        const id = account.social_data_id;
        const name = account.account_name ?? account.username ?? platformName(account.platform);
        const state = connectionState(account.token_status);
        return (
          <label key={id} className={css['target']}>
            <input
              type="checkbox"
              checked={draft.accounts.includes(id)}
              onChange={(event) => {
                change({ accounts: toggled(draft.accounts, id, event.target.checked) });
              }}
            />
            <Avatar url={account.avatar_url} name={name} platform={account.platform} />
            <span className={css['what']}>
              <bdi>{name}</bdi>
              <small className={css['muted']}>{platformName(account.platform)}</small>
            </span>
            {!usable(account) && <Badge tone={state.tone}>{state.text}</Badge>}
          </label>
        );
      })}
    </fieldset>
  );
}

function Platforms({ draft, change, connections }: TargetProps) {
  return (
    <>
      <p className={css['muted']}>All accounts of the brand on a platform, also those that are connected later.</p>
      <fieldset className={css['targets']}>
        <legend className={css['unseen']}>Platforms</legend>
        {connections.supported_platforms.map((platform) => (
          <label key={platform} className={css['target']}>
            <input
              type="checkbox"
              checked={draft.platforms.includes(platform)}
              onChange={(event) => {
                change({ platforms: toggled(draft.platforms, platform, event.target.checked) });
              }}
            />
            <PlatformIcon platform={platform} />
            <span className={css['what']}>{platformName(platform)}</span>
          </label>
        ))}
      </fieldset>
    </>
  );
}
