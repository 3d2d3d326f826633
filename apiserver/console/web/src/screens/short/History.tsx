// SPDX-License-Identifier: Apache-2.0

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { answer, api } from '../../api/client';
import { pageSize } from '../../api/queries';
import type { HistoryEntry, ShortDetail } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, platformName } from '../../lib/format';
import { relative } from '../../lib/relative';
import { useWorkspace } from '../../shell/workspace';
import { classes } from '../../ui/classes';
import { CopyCurl } from '../../ui/Copy';
import { ErrorNote, Loading } from '../../ui/Feedback';
import { Pager } from '../../ui/Pager';
import css from './history.module.css';

/** History lists the events of a short, newest first. It is loaded when it is opened. */
export function History({ short }: { readonly short: ShortDetail }) {
  const { brand } = useWorkspace();
  const [open, setOpen] = useState(false);
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: ['history', short.id, short.updated_at, page],
    queryFn: () =>
      answer(
        api.GET('/api/v1/shorts/{id}/history', {
          params: { path: { id: short.id }, query: { page, per_page: pageSize } },
        }),
      ),
    placeholderData: keepPreviousData,
    enabled: open,
  });
  const entries = query.data?.data;
  return (
    <details
      className={css['history']}
      onToggle={(event) => {
        setOpen(event.currentTarget.open);
      }}
    >
      <summary>
        <h2>History</h2>
      </summary>
      <div className={css['body']}>
        {query.error && <ErrorNote error={query.error} onRetry={() => void query.refetch()} />}
        {open && query.isPending && !query.error && <Loading lines={4} label="Loading the history" />}
        {entries?.length === 0 && <p className={css['muted']}>There are no events.</p>}
        {entries && entries.length > 0 && (
          <ol className={css['entries']} aria-label="Events, newest first">
            {entries.map((entry, i) => (
              <Entry key={i} entry={entry} short={short} now={query.dataUpdatedAt} />
            ))}
          </ol>
        )}
        <Pager at={query.data?.meta.pagination} noun="event" onPage={setPage} />
        {entries && (
          <>
            <p className={css['muted']}>
              The history has the last change by each author and the last work of each kind. Earlier changes and old
              values are in the audit log.
            </p>
            <div>
              <CopyCurl command={curl('GET', `/shorts/${String(short.id)}/history`, brand.id, { query: { page } })} />
            </div>
          </>
        )}
      </div>
    </details>
  );
}

interface EntryProps {
  readonly entry: HistoryEntry;
  readonly short: ShortDetail;
  readonly now: number;
}

function Entry({ entry, short, now }: EntryProps) {
  const { zone } = useWorkspace();
  const facts = [
    entry.changed_by !== null && (entry.changed_by === 'api' ? 'through the API' : `by ${entry.changed_by}`),
    entry.revision !== null && `revision ${String(entry.revision)}`,
    entry.attempt !== null && entry.attempt > 1 && `attempt ${String(entry.attempt)}`,
  ].filter(Boolean);
  return (
    <li className={classes(css['entry'], css[tones[entry.event] ?? ''])}>
      <span className={css['what']} dir="auto">
        {textOf(entry, short)}
        {facts.length > 0 && <span className={css['muted']}> · {facts.join(' · ')}</span>}
      </span>
      <time className={css['when']} dateTime={entry.at} title={dateTime(entry.at, zone)}>
        {relative(entry.at, now)}
      </time>
      {entry.error && (
        <p className={css['problem']} dir="auto">
          {entry.error.message} <code>{entry.error.code}</code>
        </p>
      )}
    </li>
  );
}

const tones: Readonly<Record<string, string>> = {
  succeeded: 'good',
  accepted: 'good',
  failed: 'bad',
  rejected: 'bad',
  unknown: 'warn',
};

const works = { generation: 'Creation', edit: 'Layout of an edit', render: 'Render of the video' };

const outcomes: Readonly<Record<HistoryEntry['event'], string>> = {
  created: 'requested',
  changed: 'changed',
  started: 'started',
  succeeded: 'finished',
  failed: 'failed',
  cancelled: 'cancelled',
  released: 'approved',
  accepted: 'accepted by the platform',
  rejected: 'rejected by the platform',
  not_sent: 'not sent',
  unknown: 'with an unknown outcome',
};

/** textOf returns an event in words. */
function textOf(entry: HistoryEntry, short: ShortDetail): string {
  const outcome = outcomes[entry.event];
  switch (entry.subject) {
    case 'short':
      return entry.event === 'created' ? 'Short requested' : `Short ${outcome}`;
    case 'post': {
      const post = short.posts.find((p) => p.id === entry.post_id);
      const name = post
        ? `Post on ${platformName(post.platform)}${post.account_name ? ` (${post.account_name})` : ''}`
        : `Post ${String(entry.post_id ?? '')}`;
      return `${name} ${entry.event === 'succeeded' ? 'published' : outcome}`;
    }
    default:
      return `${works[entry.subject]} ${outcome}`;
  }
}
