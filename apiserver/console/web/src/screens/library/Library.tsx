// SPDX-License-Identifier: Apache-2.0

import '../../kit';

import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';

import { shortsQuery, type ShortFilter } from '../../api/queries';
import { curl } from '../../lib/curl';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Empty, ErrorNote } from '../../ui/Feedback';
import { Segmented, SelectField, TextField } from '../../ui/Field';
import { Page, Toolbar } from '../../ui/Page';
import { Pager } from '../../ui/Pager';
import css from './library.module.css';
import { ShortCard, ShortCardBone } from './ShortCard';

const DeleteShorts = lazy(() => import('../deletion/DeleteShorts'));

type Kind = 'all' | 'SLIDESHOW' | 'UGC';
type Status = NonNullable<ShortFilter['status']>;

const kinds: readonly { readonly value: Kind; readonly label: string }[] = [
  { value: 'all', label: 'All' },
  { value: 'SLIDESHOW', label: 'Slideshows' },
  { value: 'UGC', label: 'Hook and demo' },
];

const statuses: readonly { readonly value: Status; readonly label: string }[] = [
  { value: 'processing', label: 'In progress' },
  { value: 'completed', label: 'Ready' },
  { value: 'failed', label: 'Failed' },
  { value: 'draft', label: 'Draft' },
];

const orders: Readonly<Record<NonNullable<ShortFilter['order']>, string>> = {
  relevance: 'Best match first',
  created_desc: 'Newest first',
  created_asc: 'Oldest first',
};

/** Library is the grid of the brand's shorts. Its search, filters and page are part of the address. */
export default function Library() {
  const { brand, can } = useWorkspace();
  const [search, setSearch] = useSearchParams();
  const kind = kinds.find((k) => k.value === search.get('kind'))?.value ?? 'all';
  const status = statuses.find((s) => s.value === search.get('state'))?.value;
  const page = Math.max(1, Number(search.get('page') ?? 1) || 1);
  const query = search.get('query') ?? '';
  const choices = (Object.keys(orders) as (keyof typeof orders)[]).slice(query ? 0 : 1);
  const order = choices.find((o) => o === search.get('order')) ?? choices[0] ?? 'created_desc';
  const filter: ShortFilter = { short_type: kind, order, ...(status ? { status } : {}), ...(query ? { query } : {}) };
  const shorts = useQuery(shortsQuery(brand.id, filter, page));
  const change = (name: string, value: string) => {
    setSearch((before) => {
      const next = new URLSearchParams(before);
      if (name !== 'page') {
        next.delete('page');
      }
      if (value === '') {
        next.delete(name);
      } else {
        next.set(name, value);
      }
      return next;
    });
  };
  const [chosen, setChosen] = useState<ReadonlySet<number> | null>(null);
  const [deleting, setDeleting] = useState(false);
  const filtered = kind !== 'all' || status !== undefined || query !== '';
  const list = shorts.data?.data;
  const selected = list?.filter((short) => chosen?.has(short.id)) ?? [];
  return (
    <Page
      title="Library"
      actions={
        <>
          <CopyCurl command={curl('GET', '/shorts', brand.id, { query: { ...filter, page, per_page: 50 } })} />
          {can('content:write') && list && list.length > 0 && (
            <>
              {chosen && (
                <Button
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
              <Button
                aria-pressed={chosen !== null}
                onClick={() => {
                  setChosen(chosen ? null : new Set());
                }}
              >
                {chosen ? 'End selection' : 'Select'}
              </Button>
            </>
          )}
          {can('content:write') && (
            <ButtonLink to="/create" look="primary" icon="add">
              Create
            </ButtonLink>
          )}
        </>
      }
    >
      <Toolbar label="Filters">
        <Search
          value={query}
          onChange={(value) => {
            change('query', value);
          }}
        />
        <Segmented
          label="Kind"
          value={kind}
          choices={kinds}
          onChange={(value) => {
            change('kind', value === 'all' ? '' : value);
          }}
        />
        <div className={css['state']}>
          <SelectField
            label="State"
            value={status ?? ''}
            onChange={(event) => {
              change('state', event.target.value);
            }}
          >
            <option value="">Any state</option>
            {statuses.map((s) => (
              <option key={s.value} value={s.value}>
                {s.label}
              </option>
            ))}
          </SelectField>
        </div>
        <div className={css['state']}>
          <SelectField
            label="Order"
            value={order}
            onChange={(event) => {
              change('order', event.target.value);
            }}
          >
            {choices.map((o) => (
              <option key={o} value={o}>
                {orders[o]}
              </option>
            ))}
          </SelectField>
        </div>
      </Toolbar>
      {shorts.error && <ErrorNote error={shorts.error} onRetry={() => void shorts.refetch()} />}
      {shorts.isPending && (
        <ul className={css['grid']} aria-busy="true" aria-label="Loading shorts">
          {Array.from({ length: 12 }, (_, i) => (
            <ShortCardBone key={i} />
          ))}
        </ul>
      )}
      {list && list.length > 0 && (
        <ul className={css['grid']} aria-label="Shorts">
          {list.map((short) => (
            <ShortCard
              key={short.id}
              short={short}
              chosen={chosen?.has(short.id)}
              onChoose={(on) => {
                const next = new Set(chosen);
                if (on) {
                  next.add(short.id);
                } else {
                  next.delete(short.id);
                }
                setChosen(next);
              }}
            />
          ))}
        </ul>
      )}
      {list?.length === 0 && filtered && (
        <Empty icon="search" title="No short matches" action={<ButtonLink to="/">Show all shorts</ButtonLink>}>
          <p>Try other words, or another kind or state.</p>
        </Empty>
      )}
      {list?.length === 0 && !filtered && (
        <Empty
          icon="create"
          title="Create the first short"
          action={
            can('content:write') && (
              <ButtonLink to="/create" look="primary" icon="create">
                Create a short
              </ButtonLink>
            )
          }
        >
          <p>
            Describe in a few sentences who it is for and what it says. Reelops writes the text, chooses the images and
            renders a video in about two minutes. Then publish it to your accounts, now or at a time.
          </p>
        </Empty>
      )}
      <Pager
        at={shorts.data?.meta.pagination}
        noun="short"
        onPage={(next) => {
          change('page', String(next));
        }}
      />
      {deleting && (
        <Suspense>
          <DeleteShorts
            shorts={selected}
            onDeleted={() => {
              setChosen(null);
            }}
            onClose={() => {
              setDeleting(false);
            }}
          />
        </Suspense>
      )}
    </Page>
  );
}

interface SearchProps {
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Search is the search field. It reports a text when the user stops typing, and follows changes of the address. */
function Search({ value, onChange }: SearchProps) {
  const input = useRef<HTMLInputElement>(null);
  const reported = useRef(value);
  const timer = useRef(0);
  useEffect(() => {
    if (reported.current !== value && input.current) {
      reported.current = value;
      input.current.value = value;
    }
  }, [value]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
    },
    [],
  );
  return (
    <div className={css['search']}>
      <TextField
        ref={input}
        label="Search"
        type="search"
        placeholder="Search titles, captions and slides"
        maxLength={500}
        defaultValue={value}
        onChange={(event) => {
          const text = event.target.value.trim();
          clearTimeout(timer.current);
          timer.current = setTimeout(() => {
            reported.current = text;
            onChange(text);
          }, 300);
        }}
      />
    </div>
  );
}
