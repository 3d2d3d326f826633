// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';
import { Link } from 'wouter';

import type { ShortSummary } from '../../api/schema.gen';
import { date, duration, plural, shortState } from '../../lib/format';
import { steady } from '../../lib/urls';
import { useWorkspace } from '../../shell/workspace';
import { Badge } from '../../ui/Feedback';
import { allowed, Picture } from '../../ui/Picture';
import css from './library.module.css';

interface ShortCardProps {
  readonly short: ShortSummary;
  /** Whether the short is selected; undefined while nothing can be selected. */
  readonly chosen: boolean | undefined;
  readonly onChoose: (on: boolean) => void;
}

/** ShortCard is a short in the grid. Its video plays without sound while the pointer or the focus is on it. */
export function ShortCard({ short, chosen, onChoose }: ShortCardProps) {
  const { zone } = useWorkspace();
  const [over, setOver] = useState(false);
  const state = shortState(short);
  const title = short.title ?? (short.status === 'processing' ? 'Being written' : `Short ${String(short.id)}`);
  const preview = over && short.video_url && allowed(short.video_url) && !reducedMotion();
  const facts = [
    short.duration_seconds !== null && duration(short.duration_seconds),
    short.slide_count > 0 && plural(short.slide_count, 'slide'),
    short.post_counts.total > 0 && plural(short.post_counts.total, 'post'),
  ].filter(Boolean);
  return (
    <li
      className={css['card']}
      onPointerEnter={() => {
        setOver(true);
      }}
      onPointerLeave={() => {
        setOver(false);
      }}
    >
      <Link href={`/shorts/${String(short.id)}`} className={css['link']}>
        <span className={css['poster']}>
          <Picture url={short.thumbnail_url} alt="" fallback="video" />
          {preview && short.video_url && (
            <video
              className={css['preview']}
              src={steady(short.video_url)}
              muted
              loop
              autoPlay
              playsInline
              aria-hidden="true"
            />
          )}
          <span className={css['badge']}>
            <Badge tone={state.tone}>{state.text}</Badge>
          </span>
        </span>
        <span className={css['title']} dir="auto">
          {title}
        </span>
      </Link>
      {chosen !== undefined && (
        <label className={css['choose']}>
          <input
            type="checkbox"
            checked={chosen}
            onChange={(event) => {
              onChoose(event.target.checked);
            }}
          />
          <span>
            Select<span className={css['unseen']}> {title}</span>
          </span>
        </label>
      )}
      <p className={css['facts']}>
        {facts.join(' · ')}
        {facts.length > 0 && ' · '}
        <time dateTime={short.created_at}>{date(short.created_at, zone)}</time>
      </p>
    </li>
  );
}

function reducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}

export function ShortCardBone() {
  return (
    <li className={css['card']}>
      <span className={css['bone']} />
    </li>
  );
}
