// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';

import { answer, api } from '../../api/client';
import { asFailure } from '../../api/errors';
import { musicQuery } from '../../api/music';
import type { Capabilities, CreateSlideshow } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { ErrorNote } from '../../ui/Feedback';
import { SelectField } from '../../ui/Field';
import { AreaField, CheckField } from '../../ui/MoreFields';
import { Leaving } from '../../ui/Leaving';
import css from './create.module.css';
import { MusicField } from './MusicField';
import { useSubmission } from './submit';

const maxContext = 5000;

const examples: readonly { readonly name: string; readonly text: string }[] = [
  {
    name: 'Tips',
    text:
      'How to sleep better, for parents with little time. Go to bed at the same time every day. ' +
      'Keep the bedroom at 18 °C. No screens in the last hour. No coffee after 2 pm.',
  },
  {
    name: 'Story',
    text:
      'For people who want to start running. I could not run one kilometre. I walked two minutes and ran one, ' +
      'three times a week. After ten weeks I ran five kilometres without a break.',
  },
  {
    name: 'Product',
    text:
      'A desk lamp for people who read at night. Warm light without blue. It dims by touch and runs for eight ' +
      'hours on one charge. Two years of warranty.',
  },
];

/** SlideshowForm asks for the content and three choices. Everything else has a default. */
export function SlideshowForm({ offer }: { readonly offer: Capabilities }) {
  const { brand, can } = useWorkspace();
  const music = useQuery({ ...musicQuery(brand.id), enabled: can('media:read') });
  const [context, setContext] = useState('');
  const [style, setStyle] = useState('');
  const [count, setCount] = useState(0);
  const [ratio, setRatio] = useState('');
  const [language, setLanguage] = useState('');
  const [world, setWorld] = useState('');
  const [track, setTrack] = useState('');
  const [pace, setPace] = useState('');
  const [voice, setVoice] = useState(false);
  const [source, setSource] = useState('');
  const submission = useSubmission(async (body: CreateSlideshow, key) => {
    const created = await answer(
      api.POST('/api/v1/slideshows', { body, params: { header: { 'Idempotency-Key': key } } }),
    );
    return created.data;
  });
  // The values come from GET /capabilities, which lists what this version of the service accepts.
  const options = {
    ...(count > 0 ? { slide_count: count } : {}),
    ...(style ? { design_style: style } : {}),
    ...(ratio ? { aspect_ratio: ratio } : {}),
    ...(language ? { language } : {}),
    ...(world ? { image_world: world } : {}),
    ...(track ? { background_music_id: Number(track) } : {}),
    ...(pace ? { pace } : {}),
    ...(voice ? { voice: { mode: 'speak' } } : {}),
    ...(source ? { image_source: { type: source } } : {}),
  };
  const body = { context, auto_render: true, ...options } as CreateSlideshow;
  const failure = submission.error ? asFailure(submission.error) : null;
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    // A user who already went to another element keeps the focus there. On a phone the keyboard would cover the page.
    const elsewhere = document.activeElement !== document.body && document.activeElement?.tagName !== 'MAIN';
    if (!elsewhere && !matchMedia('(pointer: coarse)').matches) {
      field.current?.focus({ preventScroll: true });
    }
  }, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    submission.mutate(body);
  };
  const chosen = offer.design_styles.find((s) => s.id === style);
  const { min, max } = offer.slide_count;
  const lengths = Array.from({ length: max - min + 1 }, (_, i) => i + min);
  const sources = offer.image_sources.filter((s) => s.available && s.type !== 'pack');
  return (
    <form className={css['form']} onSubmit={submit}>
      <Leaving
        dirty={context !== '' || Object.keys(options).length > 0}
        title="Leave without creating the short?"
        text="What you entered is not kept."
      />
      <AreaField
        ref={field}
        label="What is it about?"
        hint="Who it is for and what it should say. Whole sentences give the best slides."
        rows={7}
        required
        maxLength={maxContext}
        value={context}
        counter={{ used: context.length, max: maxContext }}
        {...(failure?.field === 'context' ? { problem: failure.message } : {})}
        onChange={(event) => {
          setContext(event.target.value);
        }}
      />
      {context === '' && (
        <div className={css['examples']} role="group" aria-label="Examples">
          <span>Try an example:</span>
          {examples.map((example) => (
            <Button
              key={example.name}
              small
              onClick={() => {
                setContext(example.text);
              }}
            >
              {example.name}
            </Button>
          ))}
        </div>
      )}
      <div className={css['choices']}>
        <SelectField
          label="Style"
          hint={chosen ? chosen.description : 'A style that the brand has not used recently.'}
          value={style}
          onChange={(event) => {
            setStyle(event.target.value);
          }}
        >
          <option value="">Automatic</option>
          {offer.design_styles.map((s) => (
            <option key={s.id} value={s.id}>
              {s.name}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Length"
          value={count}
          onChange={(event) => {
            setCount(Number(event.target.value));
          }}
        >
          <option value={0}>Automatic</option>
          {lengths.map((n) => (
            <option key={n} value={n}>
              {n} slides
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Format"
          value={ratio}
          onChange={(event) => {
            setRatio(event.target.value);
          }}
        >
          <option value="">Default of the brand</option>
          {offer.aspect_ratios.map((r) => (
            <option key={r.value} value={r.value}>
              {r.value} ({r.width} × {r.height})
            </option>
          ))}
        </SelectField>
      </div>
      <details className={css['more']}>
        <summary>More options</summary>
        <div className={css['choices']}>
          <SelectField
            label="Language"
            value={language}
            onChange={(event) => {
              setLanguage(event.target.value);
            }}
          >
            <option value="">Of the brand or the text</option>
            {offer.languages.map((l) => (
              <option key={l.tag} value={l.tag}>
                {l.name}
              </option>
            ))}
          </SelectField>
          <SelectField
            label="Images"
            value={world}
            onChange={(event) => {
              setWorld(event.target.value);
            }}
          >
            <option value="">Chosen to fit the text</option>
            {offer.image_worlds.map((w) => (
              <option key={w.id} value={w.id}>
                {w.name}
              </option>
            ))}
          </SelectField>
          {sources.length > 1 && (
            <SelectField
              label="Image source"
              value={source}
              onChange={(event) => {
                setSource(event.target.value);
              }}
            >
              <option value="">Default of the brand</option>
              {sources.map((s) => (
                <option key={s.type} value={s.type}>
                  {s.type === 'ai' ? 'AI images' : 'Stock images'}
                  {s.credits_per_image ? ` (${String(s.credits_per_image)} credits each)` : ''}
                </option>
              ))}
            </SelectField>
          )}
          <SelectField
            label="Pace"
            value={pace}
            onChange={(event) => {
              setPace(event.target.value);
            }}
          >
            <option value="">Normal</option>
            {offer.paces
              .filter((p) => !p.default)
              .map((p) => (
                <option key={p.id} value={p.id}>
                  {p.name}
                </option>
              ))}
          </SelectField>
          {music.data && music.data.length > 0 && (
            <MusicField tracks={music.data} value={track} onChange={setTrack} />
          )}
        </div>
        <CheckField
          label="Voice-over"
          hint="A voice reads the slides."
          checked={voice}
          onChange={(event) => {
            setVoice(event.target.checked);
          }}
        />
      </details>
      {failure && failure.field !== 'context' && <ErrorNote error={failure} />}
      <div className={css['submit']}>
        <Button
          type="submit"
          look="primary"
          icon="create"
          busy={submission.isPending}
          disabled={!can('content:write') || context.trim() === ''}
        >
          Create video
        </Button>
        <CopyCurl command={curl('POST', '/slideshows', brand.id, { body })} />
      </div>
    </form>
  );
}
