// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';

import { runsQuery } from '../../api/automations';
import type { AutomationRun } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { CopyCurl } from '../../ui/Copy';
import { Badge, ErrorNote, Loading } from '../../ui/Feedback';
import { Pager } from '../../ui/Pager';
import { Panel } from '../../ui/Panel';
import css from './automations.module.css';
import { runState } from './states';

/** Runs lists the runs of an automation, the newest first. */
export function Runs({ id }: { readonly id: number }) {
  const { brand } = useWorkspace();
  const [page, setPage] = useState(1);
  const runs = useQuery(runsQuery(brand.id, id, page));
  const list = runs.data?.data;
  return (
    <Panel
      title="Runs"
      actions={
        <CopyCurl
          command={curl('GET', `/automations/${String(id)}/runs`, brand.id, { query: { page, per_page: 50 } })}
        />
      }
    >
      {runs.error && <ErrorNote error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.isPending && <Loading lines={4} />}
      {list?.length === 0 && (
        <p className={css['muted']}>No run yet. The first one starts before the next time of the schedule.</p>
      )}
      {list && list.length > 0 && (
        <ul className={css['runs']} aria-label="Runs">
          {list.map((run) => (
            <Run key={run.id} run={run} />
          ))}
        </ul>
      )}
      <Pager at={runs.data?.meta.pagination} noun="run" onPage={setPage} />
    </Panel>
  );
}

function Run({ run }: { readonly run: AutomationRun }) {
  const { zone, can } = useWorkspace();
  const state = runState(run);
  const { item, short_id: short, post_ids: posts } = run;
  return (
    <li className={css['run']}>
      <div className={css['row']}>
        <span>
          <time dateTime={run.scheduled_at}>{dateTime(run.scheduled_at, zone)}</time>
          {run.manual && <span className={css['muted']}> · started by a user</span>}
        </span>
        <Badge tone={state.tone}>{state.text}</Badge>
      </div>
      {item && (
        <p className={css['wrap']} dir="auto">
          {item.title || item.id}
        </p>
      )}
      <p className={css['muted']} dir="auto">
        {run.status_message}.
      </p>
      {(short !== null || posts.length > 0 || (item?.link && web(item.link))) && (
        <p className={css['links']}>
          {item?.link && web(item.link) && (
            <a href={item.link} target="_blank" rel="noreferrer">
              Item
            </a>
          )}
          {short !== null && <Link href={`/shorts/${String(short)}`}>Short {short}</Link>}
          {can('posts:read') &&
            posts.map((post) => (
              <Link key={post} href={`/posts/${String(post)}`}>
                Post {post}
              </Link>
            ))}
        </p>
      )}
    </li>
  );
}

/** web reports whether a link of a feed leads to a web page. */
function web(link: string): boolean {
  return /^https?:\/\//i.test(link);
}
