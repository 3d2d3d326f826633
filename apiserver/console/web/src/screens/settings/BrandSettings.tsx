// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';

import { brandQuery } from '../../api/queries';
import type { BrandDetail } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { date, sentence } from '../../lib/format';
import { count } from '../../lib/numbers';
import { useWorkspace } from '../../shell/workspace';
import { classes } from '../../ui/classes';
import { Command, CopyCurl } from '../../ui/Copy';
import { ErrorNote, Loading } from '../../ui/Feedback';
import { Fact, Facts, Panel } from '../../ui/Panel';
import css from './settings.module.css';

/** BrandSettings shows the profile and the defaults of the brand. They are changed in the manifest of the brand. */
export function BrandSettings() {
  const { brand, account } = useWorkspace();
  const detail = useQuery(brandQuery(brand.id));
  if (!detail.data) {
    return detail.error ? (
      <ErrorNote error={detail.error} onRetry={() => void detail.refetch()} />
    ) : (
      <Loading lines={8} />
    );
  }
  return (
    <div className={css['panels']}>
      <Profile brand={detail.data} />
      <Defaults brand={detail.data} />
      <Panel title="Change the brand">
        <p className={classes(css['muted'], css['above'])}>
          The profile and the defaults are fields of the brand&apos;s manifest.
        </p>
        <Command text={editCommand(account, brand.id)} />
      </Panel>
    </div>
  );
}

function editCommand(account: string, id: number): string {
  const name = `kubectl get brands.reelops.dev -n ${account} -l reelops.dev/id=${String(id)} -o name`;
  return `kubectl edit -n ${account} "$(${name})"`;
}

function Profile({ brand }: { readonly brand: BrandDetail }) {
  const { zone } = useWorkspace();
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
    <Panel title="Profile" actions={<CopyCurl command={curl('GET', '/brand', brand.id)} />}>
      <Facts>
        {values.map(([name, value]) => (
          <Fact key={name} name={name}>
            {value ?? <span className={css['muted']}>Not set</span>}
          </Fact>
        ))}
      </Facts>
    </Panel>
  );
}

function Defaults({ brand }: { readonly brand: BrandDetail }) {
  const defaults = brand.slideshow_defaults;
  return (
    <Panel title="Defaults of new slideshows">
      <Facts>
        <Fact name="Style">
          {defaults.design_style ? sentence(defaults.design_style) : 'One that was not used recently'}
        </Fact>
        <Fact name="Length">{defaults.slide_count === 0 ? 'Automatic' : `${String(defaults.slide_count)} slides`}</Fact>
        <Fact name="Format">{defaults.aspect_ratio}</Fact>
        <Fact name="Images">
          {defaults.image_world ? sentence(defaults.image_world) : 'Chosen to fit the text'},{' '}
          {defaults.image_source.type}
        </Fact>
        <Fact name="Font">{defaults.overlay_font_family ?? 'That of the style'}</Fact>
        <Fact name="Color">{defaults.primary_color ?? 'Those of the style'}</Fact>
      </Facts>
    </Panel>
  );
}
