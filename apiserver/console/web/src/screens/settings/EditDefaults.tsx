// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { useBrandEdit } from '../../api/brand';
import { packsQuery } from '../../api/packs';
import { capabilitiesQuery } from '../../api/queries';
import type { BrandDetail } from '../../api/schema.gen';
import { sentence } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { ErrorNote, Loading } from '../../ui/Feedback';
import { SelectField } from '../../ui/Field';
import { toast } from '../../ui/messages';
import { BrandDialog } from './BrandDialog';
import css from './settings.module.css';

interface EditDefaultsProps {
  readonly brand: BrandDetail;
  readonly onClose: () => void;
}

interface Values {
  readonly design_style: string;
  readonly slide_count: string;
  readonly aspect_ratio: string;
  readonly image_world: string;
  readonly overlay_font_family: string;
  /** The type of the source, or pack: with the id of the pack. */
  readonly image_source: string;
}

function valuesOf({ slideshow_defaults: defaults }: BrandDetail): Values {
  const { image_source: source } = defaults;
  return {
    design_style: defaults.design_style ?? '',
    slide_count: String(defaults.slide_count),
    aspect_ratio: defaults.aspect_ratio,
    image_world: defaults.image_world ?? '',
    overlay_font_family: defaults.overlay_font_family ?? '',
    image_source: source.type === 'pack' ? `pack:${String(source.media_pack_id ?? '')}` : source.type,
  };
}

function changesOf(before: Values, now: Values): Readonly<Record<string, unknown>> {
  const names = (Object.keys(now) as (keyof Values)[]).filter((name) => now[name] !== before[name]);
  return Object.fromEntries(names.map((name) => [name, memberOf(name, now[name])]));
}

function memberOf(name: keyof Values, value: string): unknown {
  if (name === 'slide_count') {
    return Number(value);
  }
  if (name === 'image_source') {
    const [type, pack] = value.split(':', 2);
    return pack ? { type, media_pack_id: Number(pack) } : { type, media_pack_id: null };
  }
  return value || null;
}

/** EditDefaults changes what a new slideshow has if the request omits it. */
export function EditDefaults({ brand, onClose }: EditDefaultsProps) {
  const { account } = useWorkspace();
  const [before] = useState(() => valuesOf(brand));
  const [values, setValues] = useState(before);
  const offer = useQuery(capabilitiesQuery);
  const packs = useQuery(packsQuery(brand.id)).data ?? [];
  const edit = useBrandEdit(brand.id, account, () => {
    toast('The defaults are saved');
    onClose();
  });
  const changed = changesOf(before, values);
  const body = { slideshow_defaults: changed };
  const field = (name: keyof Values) => ({
    value: values[name],
    onChange: (event: { readonly target: { readonly value: string } }) => {
      setValues((now) => ({ ...now, [name]: event.target.value }));
    },
  });
  const { data } = offer;
  return (
    <BrandDialog
      title="Defaults of new slideshows"
      brand={brand.id}
      body={body}
      unchanged={Object.keys(changed).length === 0}
      edit={edit}
      onClose={onClose}
    >
      {offer.error && <ErrorNote error={offer.error} onRetry={() => void offer.refetch()} />}
      {!data && !offer.error && <Loading lines={6} />}
      {data && (
        <div className={css['two']}>
          <SelectField label="Style" {...field('design_style')}>
            <option value="">One that was not used recently</option>
            {data.design_styles.map((style) => (
              <option key={style.id} value={style.id}>
                {style.name}
              </option>
            ))}
          </SelectField>
          <SelectField label="Length" {...field('slide_count')}>
            <option value="0">Automatic</option>
            {Array.from({ length: data.slide_count.max - data.slide_count.min + 1 }, (_, i) => (
              <option key={i} value={data.slide_count.min + i}>
                {data.slide_count.min + i} slides
              </option>
            ))}
          </SelectField>
          <SelectField label="Format" {...field('aspect_ratio')}>
            {data.aspect_ratios.map((ratio) => (
              <option key={ratio.value} value={ratio.value}>
                {ratio.value}
              </option>
            ))}
          </SelectField>
          <SelectField label="Images from" {...field('image_source')}>
            {data.image_sources
              .filter((source) => source.type !== 'pack')
              .map((source) => (
                <option key={source.type} value={source.type} disabled={!source.available}>
                  {source.type === 'ai' ? 'AI' : sentence(source.type)}
                </option>
              ))}
            {packs.map((pack) => (
              <option key={pack.id} value={`pack:${String(pack.id)}`}>
                Pack: {pack.name}
              </option>
            ))}
          </SelectField>
          <SelectField label="Theme of images" {...field('image_world')}>
            <option value="">Chosen to fit the text</option>
            {data.image_worlds.map((world) => (
              <option key={world.id} value={world.id}>
                {world.name}
              </option>
            ))}
          </SelectField>
          <SelectField label="Font" {...field('overlay_font_family')}>
            <option value="">That of the style</option>
            {data.overlay_fonts.map((font) => (
              <option key={font.family} value={font.family}>
                {font.family}
              </option>
            ))}
          </SelectField>
        </div>
      )}
    </BrandDialog>
  );
}
