// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, Route, Switch } from 'wouter';

import { automationsQuery } from '../../api/automations';
import type { Automation } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { ButtonLink } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Badge, Empty, ErrorNote, Loading } from '../../ui/Feedback';
import { Page } from '../../ui/Page';
import { Pager } from '../../ui/Pager';
import css from './automations.module.css';
import { Builder } from './Builder';
import { Detail } from './Detail';
import { useMayAutomate } from './rights';
import { automationState, nameOf } from './states';

/** Automations shows the list of automations, one of them, or the form. */
export default function Automations() {
  return (
    <Switch>
      <Route path="/automations/new">
        <Builder />
      </Route>
      <Route path="/automations/:id/edit">{(params) => <Builder key={params.id} id={Number(params.id)} />}</Route>
      <Route path="/automations/:id">{(params) => <Detail key={params.id} id={Number(params.id)} />}</Route>
      <Route>
        <List />
      </Route>
    </Switch>
  );
}

function List() {
  const { brand } = useWorkspace();
  const may = useMayAutomate();
  const [page, setPage] = useState(1);
  const automations = useQuery(automationsQuery(brand.id, page));
  const list = automations.data?.data;
  const create = may && (
    <ButtonLink to="/automations/new" look="primary" icon="add">
      New automation
    </ButtonLink>
  );
  return (
    <Page
      title="Automations"
      lead="Each creates and publishes shorts on a schedule."
      actions={
        <>
          <CopyCurl command={curl('GET', '/automations', brand.id, { query: { page, per_page: 50 } })} />
          {list && list.length > 0 && create}
        </>
      }
    >
      {automations.error && <ErrorNote error={automations.error} onRetry={() => void automations.refetch()} />}
      {automations.isPending && <Loading lines={6} />}
      {list?.length === 0 && (
        <Empty icon="automation" title="No automations yet" action={create}>
          <p>
            An automation takes the next of your prompts, or the newest item of a feed, creates a short from it, and
            publishes it at the times that you choose.
          </p>
        </Empty>
      )}
      {list && list.length > 0 && (
        <ul className={css['list']}>
          {list.map((automation) => (
            <Row key={automation.id} automation={automation} />
          ))}
        </ul>
      )}
      <Pager at={automations.data?.meta.pagination} noun="automation" onPage={setPage} />
    </Page>
  );
}

function Row({ automation }: { readonly automation: Automation }) {
  const { zone } = useWorkspace();
  const state = automationState(automation);
  const [next] = automation.next_times;
  const last = automation.last_successful_at;
  return (
    <li className={css['card']}>
      <div className={css['row']}>
        <h2 className={css['wrap']}>
          <Link href={`/automations/${String(automation.id)}`}>
            <bdi>{nameOf(automation)}</bdi>
          </Link>
        </h2>
        <Badge tone={state.tone}>{state.text}</Badge>
      </div>
      {state.tone === 'warn' && (
        <p className={css['wrap']} dir="auto">
          {automation.status_message}.
        </p>
      )}
      <p className={css['facts']}>
        <span>{next ? <>Next: <time dateTime={next}>{dateTime(next, zone)}</time></> : 'No next time'}</span>
        <span>{last ? <>Last success: <time dateTime={last}>{dateTime(last, zone)}</time></> : 'No success yet'}</span>
        <span>{plural(automation.runs, 'run')}</span>
      </p>
    </li>
  );
}
