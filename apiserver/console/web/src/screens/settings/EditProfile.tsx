// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { useBrandEdit } from '../../api/brand';
import { asFailure } from '../../api/errors';
import { capabilitiesQuery } from '../../api/queries';
import type { BrandDetail, UpdateBrand } from '../../api/schema.gen';
import { useWorkspace } from '../../shell/workspace';
import { SelectField, TextField } from '../../ui/Field';
import { toast } from '../../ui/messages';
import { AreaField } from '../../ui/MoreFields';
import { BrandDialog } from './BrandDialog';
import css from './settings.module.css';

const own = ['name', 'description', 'website', 'language', 'time_zone'] as const;
const lists = ['value_points', 'banned_words'] as const;
const texts = ['audience', 'tone', 'niche', 'offer', 'call_to_action'] as const;

type Name = (typeof own)[number] | (typeof lists)[number] | (typeof texts)[number];
type Values = Readonly<Record<Name, string>>;

function valuesOf(brand: BrandDetail): Values {
  const { profile } = brand;
  return {
    name: brand.name,
    description: brand.description ?? '',
    website: brand.website ?? '',
    language: brand.language,
    time_zone: brand.timezone,
    audience: profile.audience ?? '',
    tone: profile.tone ?? '',
    niche: profile.niche ?? '',
    offer: profile.offer ?? '',
    call_to_action: profile.call_to_action ?? '',
    value_points: profile.value_points.join('\n'),
    banned_words: profile.banned_words.join('\n'),
  };
}

/** changesOf returns the changed members. An empty text clears a member. */
function changesOf(before: Values, now: Values): UpdateBrand {
  const changed = (name: Name) => now[name].trim() !== before[name].trim();
  const text = (name: Name) => now[name].trim() || null;
  const profile = [
    ...texts.filter(changed).map((name) => [name, text(name)] as const),
    ...lists.filter(changed).map((name) => [name, linesOf(now[name])] as const),
  ];
  return {
    ...Object.fromEntries(own.filter(changed).map((name) => [name, text(name)])),
    ...(profile.length > 0 ? { profile: Object.fromEntries(profile) } : {}),
  };
}

function linesOf(text: string): readonly string[] {
  return text.split('\n').map((line) => line.trim()).filter(Boolean);
}

interface EditProfileProps {
  readonly brand: BrandDetail;
  readonly onClose: () => void;
}

/** EditProfile changes the profile of the brand. It sends only what changed. */
export function EditProfile({ brand, onClose }: EditProfileProps) {
  const { account } = useWorkspace();
  const [before] = useState(() => valuesOf(brand));
  const [values, setValues] = useState(before);
  const languages = useQuery(capabilitiesQuery).data?.languages ?? [];
  const edit = useBrandEdit(brand.id, account, () => {
    toast('The profile is saved');
    onClose();
  });
  const body = changesOf(before, values);
  const wrong = edit.error ? asFailure(edit.error).field.replace(/^profile\./, '').replace(/\[.*$/, '') : '';
  const field = (name: Name) => ({
    value: values[name],
    ...(wrong === name && edit.error ? { problem: edit.error.message } : {}),
    onChange: (event: { readonly target: { readonly value: string } }) => {
      setValues((now) => ({ ...now, [name]: event.target.value }));
    },
  });
  const zones = Intl.supportedValuesOf('timeZone');
  return (
    <BrandDialog
      title="Edit the profile"
      brand={brand.id}
      body={body}
      unchanged={Object.keys(body).length === 0}
      edit={edit}
      onClose={onClose}
    >
      <div className={css['two']}>
        <TextField label="Name" required {...field('name')} />
        <TextField label="Website" type="url" placeholder="https://" {...field('website')} />
        <SelectField label="Language of texts" {...field('language')}>
          <option value="">That of each text</option>
          {known(languages.map((l) => l.tag), values.language).map((tag) => (
            <option key={tag} value={tag}>
              {languages.find((l) => l.tag === tag)?.name ?? tag}
            </option>
          ))}
        </SelectField>
        <SelectField label="Time zone" hint="All times of the console are in it." {...field('time_zone')}>
          {known(['UTC', ...zones], values.time_zone).map((zone) => (
            <option key={zone} value={zone}>
              {zone.replaceAll('_', ' ')}
            </option>
          ))}
        </SelectField>
      </div>
      <AreaField label="Description" {...field('description')} />
      <AreaField label="Audience" hint="Who the shorts are for." rows={2} {...field('audience')} />
      <div className={css['two']}>
        <TextField label="Tone" {...field('tone')} />
        <TextField label="Market" {...field('niche')} />
        <TextField label="Offer" {...field('offer')} />
        <TextField label="Call to action" hint="The text of the last slide." {...field('call_to_action')} />
      </div>
      <AreaField label="Value points" hint="Reasons to choose the brand, one a line." {...field('value_points')} />
      <AreaField
        label="Banned words"
        hint="Words that generated texts do not contain, one a line."
        {...field('banned_words')}
      />
    </BrandDialog>
  );
}

/** known returns the choices, with the current value if it is another one. */
function known(choices: readonly string[], current: string): readonly string[] {
  return [...new Set(current === '' || choices.includes(current) ? choices : [current, ...choices])];
}
