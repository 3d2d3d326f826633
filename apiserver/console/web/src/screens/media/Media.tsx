// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { mediaQuery, type MediaFilter } from '../../api/queries';
import type { MediaItem } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { duration } from '../../lib/format';
import { useDebounced } from '../../lib/hooks';
import { bytes } from '../../lib/numbers';
import { steady } from '../../lib/urls';
import { useWorkspace } from '../../shell/workspace';
import { Outside } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { Badge, Empty, ErrorNote, Note } from '../../ui/Feedback';
import { Segmented, SelectField, TextField } from '../../ui/Field';
import { Page, Toolbar } from '../../ui/Page';
import { Fact, Facts } from '../../ui/Panel';
import { Pager } from '../../ui/Pager';
import { Picture } from '../../ui/Picture';
import css from './media.module.css';
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
  const [open, setOpen] = useState<number | null>(null);
  const query = useDebounced(text.trim(), 400);
  const filter: MediaFilter = { source, ...(query ? { query } : {}), ...(type ? { media_type: type } : {}) };
  const media = useQuery(mediaQuery(brand.id, filter, page));
  const list = media.data?.data;
  const shown = list?.find((item) => item.id === open);
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
      </Toolbar>
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
              onOpen={() => {
                setOpen(item.id);
              }}
            />
          ))}
        </ul>
      )}
      {list?.length === 0 && <None source={source} filtered={query !== '' || type !== ''} />}
      <Pager at={media.data?.meta.pagination} noun="item" onPage={setPage} />
      {shown && (
        <Detail
          item={shown}
          onClose={() => {
            setOpen(null);
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

interface CardProps {
  readonly item: MediaItem;
  readonly onOpen: () => void;
}

function Card({ item, onOpen }: CardProps) {
  const title = item.title ?? item.description ?? `Item ${String(item.id)}`;
  return (
    <li>
      <button type="button" className={css['card']} onClick={onOpen}>
        <span className={css['thumb']}>
          <Picture
            url={item.thumbnail_url}
            alt=""
            fallback={item.kind === 'video' ? 'video' : 'media'}
            ratio="4 / 5"
          />
          {item.status !== 'ready' && (
            <span className={css['badge']}>
              <Badge tone={item.status === 'failed' ? 'bad' : 'info'}>
                {item.status === 'failed' ? 'Failed' : 'Checking'}
              </Badge>
            </span>
          )}
          {item.duration_seconds !== null && <span className={css['length']}>{duration(item.duration_seconds)}</span>}
        </span>
        <span className={css['title']} dir="auto">
          {title}
        </span>
      </button>
    </li>
  );
}

const purposes: Readonly<Record<Type | 'pack_image', string>> = {
  user_upload: 'Upload',
  product_demo: 'Product clip',
  avatar_video: 'Avatar',
  stock_image: 'Stock image',
  stock_video: 'Stock clip',
  pack_image: 'Image of a pack',
  ai_image: 'AI image',
};

function Detail({ item, onClose }: { readonly item: MediaItem; readonly onClose: () => void }) {
  const { brand } = useWorkspace();
  return (
    <Dialog
      title={item.title ?? `Item ${String(item.id)}`}
      wide
      onClose={onClose}
      footer={
        <>
          <CopyCurl command={curl('GET', `/media/${String(item.id)}`, brand.id)} />
          {item.url && (
            <Outside href={item.url} download icon="download">
              Download
            </Outside>
          )}
        </>
      }
    >
      {item.error && <Note tone="bad">{item.error.message}</Note>}
      <div className={css['detail']}>
        {item.kind === 'video' && item.url ? (
          <video className={css['player']} src={steady(item.url)} controls playsInline preload="metadata" />
        ) : (
          <Picture
            url={item.url ?? item.thumbnail_url}
            alt={item.description ?? item.title ?? ''}
            fallback="media"
            ratio={item.width && item.height ? `${String(item.width)} / ${String(item.height)}` : '4 / 5'}
          />
        )}
        <Facts>
          <Fact name="Purpose">{purposes[item.media_type]}</Fact>
          {item.description && <Fact name="Content">{item.description}</Fact>}
          {item.width && item.height && (
            <Fact name="Size">
              {item.width} × {item.height}
            </Fact>
          )}
          {item.duration_seconds !== null && <Fact name="Length">{duration(item.duration_seconds)}</Fact>}
          <Fact name="File">
            {item.content_type}, {bytes(item.byte_size)}
          </Fact>
          {item.tags.length > 0 && <Fact name="Tags">{item.tags.join(', ')}</Fact>}
          {item.attribution && (
            <Fact name="Source">
              {[item.attribution.author, item.attribution.provider, item.attribution.license]
                .filter(Boolean)
                .join(', ')}
            </Fact>
          )}
          <Fact name="Id">{item.id}</Fact>
        </Facts>
      </div>
    </Dialog>
  );
}
