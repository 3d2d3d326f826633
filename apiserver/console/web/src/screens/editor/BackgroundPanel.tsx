// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { mediaQuery, type MediaFilter } from '../../api/queries';
import type { Slide } from '../../api/schema.gen';
import { useDebounced } from '../../lib/hooks';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote } from '../../ui/Feedback';
import { Segmented, TextField } from '../../ui/Field';
import { Panel } from '../../ui/Panel';
import { Pager } from '../../ui/Pager';
import { Picture } from '../../ui/Picture';
import type { Background } from './draft';
import css from './editor.module.css';

interface BackgroundPanelProps {
  readonly slide: Slide;
  readonly background: Background | null;
  readonly onChange: (background: Background | null) => void;
}

/** BackgroundPanel replaces the image of a slide. */
export function BackgroundPanel({ slide, background, onChange }: BackgroundPanelProps) {
  const { can } = useWorkspace();
  const [open, setOpen] = useState(false);
  const source = slide.attribution;
  return (
    <Panel title="Background">
      <div className={css['background']}>
        <span className={css['backgroundThumb']}>
          <Picture url={background ? background.url : slide.image_url} alt="" fallback="media" ratio="4 / 5" />
        </span>
        <div className={css['stack']}>
          {can('media:read') ? (
            <Button
              small
              icon="media"
              onClick={() => {
                setOpen(true);
              }}
            >
              Choose image
            </Button>
          ) : (
            <p className={css['muted']}>You have no right to list media.</p>
          )}
          {background && (
            <Button
              small
              icon="refresh"
              onClick={() => {
                onChange(null);
              }}
            >
              Reset
            </Button>
          )}
          {!background && source && (
            <p className={css['muted']} dir="auto">
              {[source.author, source.provider, source.license].filter(Boolean).join(', ')}
            </p>
          )}
        </div>
      </div>
      {open && (
        <BackgroundPicker
          onChoose={(chosen) => {
            setOpen(false);
            onChange(chosen);
          }}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </Panel>
  );
}

type Source = NonNullable<MediaFilter['source']>;

const sources: readonly { readonly value: Source; readonly label: string }[] = [
  { value: 'stock', label: 'Stock' },
  { value: 'own', label: 'Own' },
  { value: 'packs', label: 'Packs' },
];

interface PickerProps {
  readonly onChoose: (background: Background) => void;
  readonly onClose: () => void;
}

function BackgroundPicker({ onChoose, onClose }: PickerProps) {
  const { brand } = useWorkspace();
  const [source, setSource] = useState<Source>('stock');
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  const query = useDebounced(text.trim(), 400);
  const filter: MediaFilter = {
    source,
    ...(source === 'stock' ? { media_type: 'stock_image' } : {}),
    ...(query ? { query } : {}),
  };
  const media = useQuery(mediaQuery(brand.id, filter, page));
  const images = media.data?.data.filter((item) => item.kind === 'image' && item.status === 'ready');
  return (
    <Dialog title="Choose an image" wide onClose={onClose}>
      <div className={css['search']}>
        <Segmented
          label="Source"
          value={source}
          choices={sources}
          onChange={(value) => {
            setSource(value);
            setPage(1);
          }}
        />
        <TextField
          label="Search"
          type="search"
          placeholder={source === 'stock' ? 'Describe an image' : 'Search by title and tag'}
          maxLength={500}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setPage(1);
          }}
        />
      </div>
      {media.error && <ErrorNote error={media.error} onRetry={() => void media.refetch()} />}
      {media.isPending && (
        <div className={css['images']} role="status" aria-label="Loading images">
          {Array.from({ length: 8 }, (_, i) => (
            <Picture key={i} url={null} alt="" fallback="media" ratio="4 / 5" />
          ))}
        </div>
      )}
      {images?.length === 0 && (
        <p className={css['muted']}>{query ? 'No image matches. Try other words.' : 'There are no images here.'}</p>
      )}
      <ul className={css['images']} aria-label="Images" aria-busy={media.isFetching}>
        {images?.map((item) => {
          const title = item.title ?? item.description ?? `Image ${String(item.id)}`;
          return (
            <li key={item.id}>
              <button
                type="button"
                className={css['image']}
                title={title}
                onClick={() => {
                  onChoose({ id: item.id, url: item.thumbnail_url });
                }}
              >
                <Picture url={item.thumbnail_url} alt={title} fallback="media" ratio="4 / 5" />
              </button>
            </li>
          );
        })}
      </ul>
      <Pager at={media.data?.meta.pagination} noun="item" onPage={setPage} />
    </Dialog>
  );
}
