// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';

import { useBrandEdit } from '../../api/brand';
import { brandQuery, capabilitiesQuery } from '../../api/queries';
import type { BrandDetail, PlatformRule, PlatformSetting, UpdateBrand } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { platformName } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { ErrorNote, Loading, Note } from '../../ui/Feedback';
import { toast } from '../../ui/messages';
import { Panel } from '../../ui/Panel';
import { Setting } from '../composer/PlatformFields';
import css from './settings.module.css';

type Values = Readonly<Record<string, string>>;

/** PostingSettings changes the platform settings of posts that do not set their own. */
export function PostingSettings() {
  const { brand, can } = useWorkspace();
  const detail = useQuery(brandQuery(brand.id));
  const offer = useQuery(capabilitiesQuery);
  const error = detail.error ?? offer.error;
  if (!detail.data || !offer.data) {
    return error ? (
      <ErrorNote
        error={error}
        onRetry={() => {
          void detail.refetch();
          void offer.refetch();
        }}
      />
    ) : (
      <Loading lines={8} />
    );
  }
  const rules = Object.entries(offer.data.platform_rules).filter(([, rule]) => rule.settings.length > 0);
  return (
    <>
      <p className={css['lead']}>
        A post that does not set one of these gets the value from here, through the API as well. On TikTok, the publish
        page of the console always asks, as TikTok requires.
      </p>
      {!can('brand:write') && (
        <div className={css['above']}>
          <Note>Your role cannot change the brand. Ask a user with the role editor.</Note>
        </div>
      )}
      <div className={css['panels']}>
        {rules.map(([platform, rule]) => (
          <Platform key={platform} platform={platform} rule={rule} brand={detail.data} />
        ))}
      </div>
    </>
  );
}

interface PlatformProps {
  readonly platform: string;
  readonly rule: PlatformRule;
  readonly brand: BrandDetail;
}

function Platform({ platform, rule, brand }: PlatformProps) {
  const { account, can } = useWorkspace();
  const stored = valuesOf(brand, platform, rule);
  const [changed, setChanged] = useState<Values>({});
  const edit = useBrandEdit(brand.id, account, () => {
    setChanged({});
    toast(`The defaults for ${platformName(platform)} are saved`);
  });
  const open = rule.settings.filter((s) => (changed[s.name] ?? stored[s.name]) !== stored[s.name]);
  const body = bodyOf(platform, open, changed);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.mutate(body);
  };
  return (
    <Panel title={platformName(platform)}>
      <form className={css['form']} onSubmit={submit}>
        <fieldset className={css['form']} disabled={!can('brand:write')}>
          <legend className={css['unseen']}>Defaults for {platformName(platform)}</legend>
          {rule.settings.map((setting) => (
            <Setting
              key={setting.name}
              setting={setting}
              value={changed[setting.name] ?? stored[setting.name] ?? ''}
              {...(platform === 'tiktok' && setting.name === 'privacy_level'
                ? { none: 'Not set: chosen for each post' }
                : {})}
              onChange={(value) => {
                setChanged((before) => ({ ...before, [setting.name]: value }));
              }}
            />
          ))}
        </fieldset>
        {edit.error && <ErrorNote error={edit.error} />}
        <div className={css['save']}>
          <Button type="submit" look="primary" busy={edit.isPending} disabled={open.length === 0}>
            Save {platformName(platform)}
          </Button>
          {open.length > 0 && <CopyCurl command={curl('PATCH', '/brand', brand.id, { body })} />}
        </div>
      </form>
    </Panel>
  );
}

/** valuesOf returns the stored values by the published name, which has dots between levels. */
function valuesOf(brand: BrandDetail, platform: string, rule: PlatformRule): Values {
  const all = brand.posting_defaults as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    rule.settings.map((setting) => {
      const found = setting.name.split('.').reduce<unknown>(memberOf, all[platform]);
      return [setting.name, typeof found === 'object' || found === undefined ? '' : String(found)];
    }),
  );
}

function memberOf(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? (from as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** bodyOf returns the change of the brand for the settings. An empty value clears a setting. */
function bodyOf(platform: string, settings: readonly PlatformSetting[], values: Values): UpdateBrand {
  const out: Record<string, unknown> = {};
  for (const setting of settings) {
    const names = setting.name.split('.');
    const last = names.pop() ?? '';
    let at = out;
    for (const name of names) {
      const next = (at[name] ?? {}) as Record<string, unknown>;
      at[name] = next;
      at = next;
    }
    at[last] = typed(setting, values[setting.name] ?? '');
  }
  return { posting_defaults: { [platform]: out } };
}

function typed(setting: PlatformSetting, value: string): unknown {
  if (value === '') {
    return null;
  }
  switch (setting.value_type) {
    case 'boolean':
      return value === 'true';
    case 'integer':
      return Number(value);
    default:
      return value;
  }
}
