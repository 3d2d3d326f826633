// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { mediaQuery, type MediaFilter } from '../../api/queries';
import type { MediaItem } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { useDebounced } from '../../lib/hooks';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Empty, ErrorNote } from '../../ui/Feedback';
import { Segmented, SelectField, TextField } from '../../ui/Field';
import { Page, Toolbar } from '../../ui/Page';
import { Pager } from '../../ui/Pager';
import { Picture } from '../../ui/Picture';
import { Card } from './Card';
import { DeleteMedia } from './DeleteMedia';
import { Detail } from './Detail';
import css from './media.module.css';
import { Packs } from './Packs';
import { UploadArea } from './UploadArea';

type Source = NonNullable<MediaFilter['source']>;
type Type = NonNullable<MediaFilter['media_type']>;

const sources: readonly { readonly value: Source; readonly label: string }[] = [
  { value: 'own', label: 'Own' },
  { value: 'packs', label: 'Packs' },
  { value: 'stock', label: 'Stock' },
];

const types: Readonly<Record<Source, readonly { readonly value: Type; readonly label: string }[]>> = {
  own: [
    { value: 'user_upload', label: 'Uploads' },
    { value: 'product_demo', label: 'Product clips' },
    { value: 'avatar_video', label: 'Avatars' },
    { value: 'ai_image', label: 'AI images' },
  ],
  packs: [],
  stock: [
    { value: 'stock_image', label: 'Images' },
    { value: 'stock_video', label: 'Clips' },
    { value: 'avatar_video', label: 'Avatars' },
  ],
};

/** Media lists the files that shorts are made of, and uploads new ones. */
export default function Media() {
  const { brand, can } = useWorkspace();
  const [source, setSource] = useState<Source>('own');
  const [type, setType] = useState<'' | Type>('');
  const [text, setText] = useState('');
  const [page, setPage] = useState(1);
  const [open, setOpen] = useState<MediaItem | null>(null);
  const [chosen, setChosen] = useState<ReadonlySet<number> | null>(null);
  const [deleting, setDeleting] = useState(false);
  const query = useDebounced(text.trim(), 400);
  const filter: MediaFilter = { source, ...(query ? { query } : {}), ...(type ? { media_type: type } : {}) };
  const packs = source === 'packs' && query === '';
  const media = useQuery({ ...mediaQuery(brand.id, filter, page), enabled: !packs });
  const list = media.data?.data;
  const shown = list?.find((item) => item.id === open?.id) ?? open;
  const selected = list?.filter((item) => chosen?.has(item.id)) ?? [];
  const listing = (
    <>
      {media.error && <ErrorNote error={media.error} onRetry={() => void media.refetch()} />}
      {media.isPending && (
        <div className={css['grid']} role="status" aria-label="Loading media">
          {Array.from({ length: 12 }, (_, i) => (
            <Picture key={i} url={null} alt="" fallback="media" ratio="4 / 5" />
          ))}
        </div>
      )}
      {list && list.length > 0 && (
        <ul className={css['grid']} aria-label="Media">
          {list.map((item) => (
            <Card
              key={item.id}
              item={item}
              chosen={chosen?.has(item.id)}
              onChoose={(on) => {
                const next = new Set(chosen);
                if (on) {
                  next.add(item.id);
                } else {
                  next.delete(item.id);
                }
                setChosen(next);
              }}
              onOpen={() => {
                setOpen(item);
              }}
            />
          ))}
        </ul>
      )}
      {list?.length === 0 && <None source={source} filtered={query !== '' || type !== ''} />}
      <Pager at={media.data?.meta.pagination} noun="item" onPage={setPage} />
    </>
  );
  return (
    <Page
      title="Media"
      lead="Images and clips for your shorts."
      actions={<CopyCurl command={curl('GET', '/media', brand.id, { query: { ...filter, page, per_page: 50 } })} />}
    >
      {can('media:write') && <UploadArea />}
      <Toolbar label="Filters">
        <Segmented
          label="Source"
          value={source}
          choices={sources}
          onChange={(value) => {
            setSource(value);
            setChosen(null);
            setType('');
            setPage(1);
          }}
        />
        {types[source].length > 0 && (
          <div className={css['filter']}>
            <SelectField
              label="Type"
              value={type}
              onChange={(event) => {
                setType(event.target.value as '' | Type);
                setPage(1);
              }}
            >
              <option value="">Any type</option>
              {types[source].map((t) => (
                <option key={t.value} value={t.value}>
                  {t.label}
                </option>
              ))}
            </SelectField>
          </div>
        )}
        <div className={css['search']}>
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
        {source === 'own' && can('media:write') && list && list.length > 0 && (
          <>
            <Button
              small
              aria-pressed={chosen !== null}
              onClick={() => {
                setChosen(chosen ? null : new Set());
              }}
            >
              {chosen ? 'End selection' : 'Select'}
            </Button>
            {chosen && (
              <Button
                small
                look="danger"
                icon="trash"
                disabled={selected.length === 0}
                onClick={() => {
                  setDeleting(true);
                }}
              >
                Delete {selected.length > 0 && selected.length}
              </Button>
            )}
          </>
        )}
      </Toolbar>
      {packs ? <Packs onItem={setOpen} /> : listing}
      {shown && (
        <Detail
          item={shown}
          onClose={() => {
            setOpen(null);
          }}
        />
      )}
      {deleting && (
        <DeleteMedia
          items={selected}
          onClose={() => {
            setDeleting(false);
          }}
          onDeleted={() => {
            setChosen(null);
          }}
        />
      )}
    </Page>
  );
}

function None({ source, filtered }: { readonly source: Source; readonly filtered: boolean }) {
  if (filtered) {
    return (
      <Empty icon="search" title="Nothing matches">
        <p>Try other words, or another type.</p>
      </Empty>
    );
  }
  if (source === 'own') {
    return (
      <Empty icon="upload" title="Upload your first file">
        <p>Clips of your product follow the hook of a video. Your images can be the backgrounds of slides.</p>
      </Empty>
    );
  }
  return (
    <Empty icon="media" title="There is nothing here">
      <p>
        {source === 'packs'
          ? 'A media pack is a set of images in one look. It can supply all backgrounds of a slideshow.'
          : 'This installation has no stock media.'}
      </p>
    </Empty>
  );
}
