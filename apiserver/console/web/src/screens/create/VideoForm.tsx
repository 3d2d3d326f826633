// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';

import { answer, api } from '../../api/client';
import { musicQuery } from '../../api/music';
import { mediaQuery } from '../../api/queries';
import type { Capabilities, CreateVideo } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { ErrorNote, Note } from '../../ui/Feedback';
import { SelectField } from '../../ui/Field';
import { AreaField } from '../../ui/MoreFields';
import { Leaving } from '../../ui/Leaving';
import { ClipPicker } from './ClipPicker';
import css from './create.module.css';
import { MusicField } from './MusicField';
import { useSubmission } from './submit';

/** VideoForm creates a hook-and-demo video: who speaks, what is said, and what is shown after it. */
export function VideoForm({ offer }: { readonly offer: Capabilities }) {
  const { brand, can } = useWorkspace();
  const readable = can('media:read');
  const stock = useQuery({
    ...mediaQuery(brand.id, { source: 'stock', media_type: 'avatar_video' }, 1),
    enabled: readable,
  });
  const own = useQuery({
    ...mediaQuery(brand.id, { source: 'own', media_type: 'avatar_video' }, 1),
    enabled: readable,
  });
  const demos = useQuery({
    ...mediaQuery(brand.id, { source: 'own', media_type: 'product_demo' }, 1),
    enabled: readable,
  });
  const music = useQuery({ ...musicQuery(brand.id), enabled: readable });
  const [hook, setHook] = useState('');
  const [avatar, setAvatar] = useState<number | null>(null);
  const [clips, setClips] = useState<readonly number[]>([]);
  const [track, setTrack] = useState('');
  const [layout, setLayout] = useState('');
  const [ratio, setRatio] = useState('');
  const submission = useSubmission(async (body: CreateVideo, key) => {
    const created = await answer(api.POST('/api/v1/videos', { body, params: { header: { 'Idempotency-Key': key } } }));
    return created.data;
  });
  const body = {
    ...(avatar === null ? {} : { avatar_media_id: avatar }),
    ...(hook.trim() ? { hook_text: hook } : {}),
    ...(clips.length > 0 ? { product_demo_media_ids: [...clips] } : {}),
    ...(track ? { background_music_id: Number(track) } : {}),
    ...(layout ? { avatar_layout: layout } : {}),
    ...(ratio ? { aspect_ratio: ratio } : {}),
  } as CreateVideo;
  const avatars = [...(own.data?.data ?? []), ...(stock.data?.data ?? [])].filter((m) => m.status === 'ready');
  const maxHook = offer.video.max_hook_characters;
  const maxClips = offer.video.max_product_demos;
  const toggleClip = (id: number) => {
    setClips((before) => (before.includes(id) ? before.filter((c) => c !== id) : [...before, id].slice(0, maxClips)));
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    submission.mutate(body);
  };
  const ready = demos.data?.data.filter((m) => m.status === 'ready') ?? [];
  return (
    <form className={css['form']} onSubmit={submit}>
      <Leaving
        dirty={hook !== '' || Object.keys(body).length > 0}
        title="Leave without creating the short?"
        text="What you entered is not kept."
      />
      <AreaField
        label="Hook"
        hint="What the person says first. Leave it empty to have it written from the brand's profile."
        rows={3}
        maxLength={maxHook}
        value={hook}
        counter={{ used: hook.length, max: maxHook }}
        onChange={(event) => {
          setHook(event.target.value);
        }}
      />
      {stock.error && <ErrorNote error={stock.error} onRetry={() => void stock.refetch()} />}
      <ClipPicker
        label="Who speaks?"
        items={avatars}
        loading={stock.isPending || own.isPending}
        selected={avatar === null ? [] : [avatar]}
        onSelect={setAvatar}
        empty="There is no avatar yet. Upload a clip of a person under Media, with the purpose Avatar."
      />
      <ClipPicker
        label={`What is shown after the hook? Up to ${String(maxClips)} clips, in the order of selection`}
        multiple
        items={ready}
        loading={demos.isPending}
        selected={clips}
        onSelect={toggleClip}
        empty="There is no product clip yet. The video then ends after the hook."
      />
      {!demos.isPending && ready.length === 0 && (
        <div>
          <ButtonLink to="/media" icon="upload" small>
            Upload product clips
          </ButtonLink>
        </div>
      )}
      <div className={css['choices']}>
        {music.data && music.data.length > 0 && (
          <MusicField tracks={music.data} value={track} onChange={setTrack} />
        )}
        <SelectField
          label="Layout"
          value={layout}
          onChange={(event) => {
            setLayout(event.target.value);
          }}
        >
          <option value="">Person first, then clips</option>
          <option value="picture_in_picture">Person in a corner over the clips</option>
        </SelectField>
        <SelectField
          label="Format"
          value={ratio}
          onChange={(event) => {
            setRatio(event.target.value);
          }}
        >
          <option value="">9:16</option>
          {offer.aspect_ratios
            .filter((r) => r.value !== '9:16')
            .map((r) => (
              <option key={r.value} value={r.value}>
                {r.value}
              </option>
            ))}
        </SelectField>
      </div>
      {submission.error && <ErrorNote error={submission.error} />}
      {!readable && <Note tone="warn">Your role cannot read the media library, so no avatar can be chosen.</Note>}
      <div className={css['submit']}>
        <Button
          type="submit"
          look="primary"
          icon="create"
          busy={submission.isPending}
          disabled={!can('content:write') || avatar === null}
        >
          Create video
        </Button>
        <CopyCurl command={curl('POST', '/videos', brand.id, { body })} />
        {avatar === null && <span className={css['about']}>Choose who speaks.</span>}
      </div>
    </form>
  );
}
