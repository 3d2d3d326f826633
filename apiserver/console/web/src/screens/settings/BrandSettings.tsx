// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { brandQuery, capabilitiesQuery } from '../../api/queries';
import type { BrandDetail } from '../../api/schema.gen';
import { curl, quote } from '../../lib/curl';
import { date } from '../../lib/format';
import { nameOf } from '../../lib/names';
import { count } from '../../lib/numbers';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Command, CopyCurl } from '../../ui/Copy';
import { ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Fact, Facts, Panel } from '../../ui/Panel';
import { EditDefaults } from './EditDefaults';
import { EditProfile } from './EditProfile';
import css from './settings.module.css';
import { Suspension } from './Suspension';

/** BrandSettings shows and changes the profile, the defaults and the publishing of the brand. */
export function BrandSettings() {
  const { brand, account, can } = useWorkspace();
  const detail = useQuery(brandQuery(brand.id));
  if (!detail.data) {
    return detail.error ? (
      <ErrorNote error={detail.error} onRetry={() => void detail.refetch()} />
    ) : (
      <Loading lines={8} />
    );
  }
  return (
    <>
      {!can('brand:write') && (
        <div className={css['above']}>
          <Note>Your role cannot change the brand. Ask a user with the role editor.</Note>
        </div>
      )}
      <div className={css['panels']}>
        <Profile brand={detail.data} />
        <div className={css['column']}>
          <Suspension brand={detail.data} />
          <Defaults brand={detail.data} />
          <Panel title="Manifest">
            <p className={css['lead']}>
              If a tool applies the brand from a manifest, change it there. Approval rules are changed only there.
            </p>
            <Command text={readCommand(account, brand.id)} />
          </Panel>
        </div>
      </div>
    </>
  );
}

function readCommand(account: string, id: number): string {
  return `kubectl get brands.reelops.dev -n ${quote(account)} -l reelops.dev/id=${String(id)} -o yaml`;
}

function Profile({ brand }: { readonly brand: BrandDetail }) {
  const { zone, can } = useWorkspace();
  const [editing, setEditing] = useState(false);
  const { profile } = brand;
  const values: readonly (readonly [string, string | null])[] = [
    ['Name', brand.name],
    ['Description', brand.description],
    ['Website', brand.website],
    ['Audience', profile.audience],
    ['Tone', profile.tone],
    ['Market', profile.niche],
    ['Offer', profile.offer],
    ['Value points', profile.value_points.join('; ') || null],
    ['Banned words', profile.banned_words.join(', ') || null],
    ['Call to action', profile.call_to_action],
    ['Language', brand.language || 'That of each text'],
    ['Time zone', brand.timezone],
    ['Approval', brand.approval_required ? 'Posts need approval' : 'Posts need no approval'],
    ['Shorts', count(brand.stats.total_shorts)],
    ['Created', date(brand.created_at, zone)],
  ];
  return (
    <Panel
      title="Profile"
      actions={
        <>
          <CopyCurl command={curl('GET', '/brand', brand.id)} />
          <Button
            small
            icon="edit"
            disabled={!can('brand:write')}
            onClick={() => {
              setEditing(true);
            }}
          >
            Edit profile
          </Button>
        </>
      }
    >
      <Facts>
        {values.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value ?? <span className={css['muted']}>Not set</span>}
          </Fact>
        ))}
      </Facts>
      {editing && (
        <EditProfile
          brand={brand}
          onClose={() => {
            setEditing(false);
          }}
        />
      )}
    </Panel>
  );
}

function Defaults({ brand }: { readonly brand: BrandDetail }) {
  const { can } = useWorkspace();
  const offer = useQuery(capabilitiesQuery).data;
  const [editing, setEditing] = useState(false);
  const defaults = brand.slideshow_defaults;
  return (
    <Panel
      title="Defaults of new slideshows"
      actions={
        <Button
          small
          icon="edit"
          disabled={!can('brand:write')}
          onClick={() => {
            setEditing(true);
          }}
        >
          Edit defaults
        </Button>
      }
    >
      <Facts>
        <Fact name="Style">
          {defaults.design_style
            ? nameOf(offer?.design_styles, defaults.design_style)
            : 'One that was not used recently'}
        </Fact>
        <Fact name="Length">{defaults.slide_count === 0 ? 'Automatic' : `${String(defaults.slide_count)} slides`}</Fact>
        <Fact name="Format">{defaults.aspect_ratio}</Fact>
        <Fact name="Images">
          {defaults.image_world ? nameOf(offer?.image_worlds, defaults.image_world) : 'Chosen to fit the text'},{' '}
          {defaults.image_source.type}
        </Fact>
        <Fact name="Font">{defaults.overlay_font_family ?? 'That of the style'}</Fact>
        <Fact name="Color">{defaults.primary_color ?? 'Those of the style'}</Fact>
      </Facts>
      {editing && (
        <EditDefaults
          brand={brand}
          onClose={() => {
            setEditing(false);
          }}
        />
      )}
    </Panel>
  );
}
