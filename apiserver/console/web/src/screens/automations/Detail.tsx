// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';

import {
  automationQuery,
  automationsChanged,
  deleteAutomation,
  runAutomation,
  updateAutomation,
} from '../../api/automations';
import { idempotency } from '../../api/idempotency';
import { connectionsQuery } from '../../api/queries';
import type { Automation } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, platformName, plural, sentence } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Confirm } from '../../ui/Dialog';
import { Badge, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { toast } from '../../ui/messages';
import { Page } from '../../ui/Page';
import { Fact, Facts, Panel } from '../../ui/Panel';
import css from './automations.module.css';
import { scheduleWords } from './cron';
import { makesShorts } from './draft';
import { useMayAutomate } from './rights';
import { Runs } from './Runs';
import { automationState, nameOf, observationsOf } from './states';

/** Detail shows one automation: its state, its settings and its runs. */
export function Detail({ id }: { readonly id: number }) {
  const { brand } = useWorkspace();
  const automation = useQuery(automationQuery(brand.id, id));
  if (!automation.data) {
    return (
      <Page title="Automation">
        {automation.error ? (
          <ErrorNote error={automation.error} onRetry={() => void automation.refetch()} />
        ) : (
          <Loading lines={8} />
        )}
      </Page>
    );
  }
  const { data } = automation;
  const state = automationState(data);
  return (
    <Page title={nameOf(data)} lead={<Badge tone={state.tone}>{state.text}</Badge>} actions={<Actions of={data} />}>
      <div className={css['panels']}>
        {state.tone === 'warn' && <Note tone="warn">{data.status_message}.</Note>}
        <div className={css['pair']}>
          <Settings of={data} />
          <Conditions of={data} />
        </div>
        <Runs id={id} />
      </div>
    </Page>
  );
}

type Question = 'run' | 'delete';

function Actions({ of }: { readonly of: Automation }) {
  const { brand } = useWorkspace();
  const client = useQueryClient();
  const may = useMayAutomate();
  const [asking, setAsking] = useState<Question | null>(null);
  const [pausing, setPausing] = useState(false);
  const path = `/automations/${String(of.id)}`;
  const pause = async () => {
    setPausing(true);
    try {
      const saved = await updateAutomation(of.id, { paused: !of.paused });
      client.setQueryData(automationQuery(brand.id, of.id).queryKey, saved);
      await automationsChanged(client);
      toast(of.paused ? 'The automation is resumed' : 'The automation is paused');
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error), true);
    } finally {
      setPausing(false);
    }
  };
  const close = () => {
    setAsking(null);
  };
  return (
    <>
      <CopyCurl command={curl('GET', path, brand.id)} />
      {may && (
        <>
          <Button look="danger" icon="trash" onClick={() => { setAsking('delete'); }}>
            Delete
          </Button>
          <Button icon={of.paused ? 'play' : 'pause'} busy={pausing} onClick={() => void pause()}>
            {of.paused ? 'Resume' : 'Pause'}
          </Button>
          <ButtonLink to={`${path}/edit`} icon="edit">
            Edit
          </ButtonLink>
          <Button
            look="primary"
            icon="play"
            disabled={of.paused === true}
            title={of.paused ? 'Resume the automation first.' : undefined}
            onClick={() => { setAsking('run'); }}
          >
            Run now
          </Button>
        </>
      )}
      {asking === 'run' && <RunNow of={of} onClose={close} />}
      {asking === 'delete' && <Delete of={of} onClose={close} />}
    </>
  );
}

interface QuestionProps {
  readonly of: Automation;
  readonly onClose: () => void;
}

function RunNow({ of, onClose }: QuestionProps) {
  const client = useQueryClient();
  const [once] = useState(idempotency);
  return (
    <Confirm
      title={`Run ${nameOf(of)} now?`}
      action="Run now"
      onConfirm={async () => {
        await once({ run: of.id }, (key) => runAutomation(of.id, key));
        await automationsChanged(client);
        toast('The run is started');
      }}
      onClose={onClose}
    >
      <p>
        The run uses the next item. It publishes as soon as the short is ready and, where required, approved. The
        schedule stays as it is.
      </p>
    </Confirm>
  );
}

function Delete({ of, onClose }: QuestionProps) {
  const { brand } = useWorkspace();
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <Confirm
      title={`Delete ${nameOf(of)}?`}
      action="Delete"
      danger
      onConfirm={async () => {
        await deleteAutomation(of.id);
        navigate('/automations');
        // Only the list: the page of the automation is still mounted, and would read what does not exist any more.
        void client.invalidateQueries({ queryKey: ['automations', brand.id, 'list'] });
        toast('The automation is deleted');
      }}
      onClose={onClose}
    >
      <p>
        Its run history is deleted. Posts of active runs that are not sent are cancelled, and their shorts deleted. What
        ended runs have published stays.
      </p>
    </Confirm>
  );
}

const sources = { prompts: 'Prompts', feed: 'Feed', queue: 'Queue', evergreen: 'Evergreen' } as const;

function Settings({ of }: { readonly of: Automation }) {
  const { zone } = useWorkspace();
  const { source, template, publish, budget, stop } = of;
  const labels = Object.entries(source?.labels ?? {}).map(([name, value]) => `${name}=${value}`);
  const limits = [
    budget?.runs_per_month && plural(budget.runs_per_month, 'run'),
    budget?.credits_per_month && plural(budget.credits_per_month, 'credit'),
  ].filter(Boolean);
  const ends = [
    stop?.after_failures && `after ${plural(stop.after_failures, 'consecutive failure')}`,
    stop?.after_runs && `after ${plural(stop.after_runs, 'run')}`,
    stop?.at && `on ${dateTime(stop.at, zone)}`,
  ].filter(Boolean);
  return (
    <Panel title="Settings">
      <Facts>
        <Fact name="Schedule">{scheduleWords(of.schedules ?? [])}</Fact>
        <Fact name="Time zone">{of.time_zone ? of.time_zone.replaceAll('_', ' ') : 'That of the brand'}</Fact>
        <Fact name="Next times">
          {of.next_times.length === 0 ? (
            'None'
          ) : (
            <ul>
              {of.next_times.map((at) => (
                <li key={at}>
                  <time dateTime={at}>{dateTime(at, zone)}</time>
                </li>
              ))}
            </ul>
          )}
        </Fact>
        {source && (
          <Fact name="Source">
            {sources[source.type]}
            {source.type === 'prompts' && `, ${plural((source.prompts ?? []).length, 'prompt')}`}
            {source.type === 'feed' && `: ${source.url ?? ''}`}
            {labels.length > 0 && `: ${labels.join(', ')}`}
          </Fact>
        )}
        {source && makesShorts(source.type) && (
          <Fact name="About">{template ? template.context : 'Videos, by a template of the manifest'}</Fact>
        )}
        {publish && (
          <Fact name="Publishes on">
            <Targets accounts={publish.social_data_ids ?? []} platforms={publish.platforms ?? []} />
            {publish.posting_mode === 'draft' && ', as drafts'}
            {publish.media && publish.media !== 'auto' && `, ${sentence(publish.media).toLowerCase()}`}
          </Fact>
        )}
        <Fact name="Approval">
          {of.approval === 'always' ? 'All posts wait for approval' : 'As the brand requires'}
        </Fact>
        {limits.length > 0 && <Fact name="Budget">{limits.join(' and ')} a month</Fact>}
        {ends.length > 0 && <Fact name="Stops">{ends.join(', ')}</Fact>}
        <Fact name="Runs">{of.runs}</Fact>
        <Fact name="Last success">
          {of.last_successful_at ? (
            <time dateTime={of.last_successful_at}>{dateTime(of.last_successful_at, zone)}</time>
          ) : (
            'None yet'
          )}
        </Fact>
      </Facts>
    </Panel>
  );
}

interface TargetsProps {
  readonly accounts: readonly number[];
  readonly platforms: readonly string[];
}

function Targets({ accounts, platforms }: TargetsProps) {
  const { brand } = useWorkspace();
  const connections = useQuery({ ...connectionsQuery(brand.id), enabled: accounts.length > 0 });
  const names = accounts.map((id) => {
    const found = connections.data?.accounts.find((account) => account.social_data_id === id);
    return found ? (found.account_name ?? found.username ?? platformName(found.platform)) : `account ${String(id)}`;
  });
  return (
    <>
      {[...names, ...platforms.map((platform) => `all accounts on ${platformName(platform)}`)].map((name, i) => (
        <span key={name}>
          {i > 0 && ', '}
          <bdi>{name}</bdi>
        </span>
      ))}
    </>
  );
}

function Conditions({ of }: { readonly of: Automation }) {
  const found = observationsOf(of.conditions);
  const held = of.conditions.some((condition) => condition.type === 'awaiting_approval' && condition.status);
  return (
    <Panel title="State">
      {found.length === 0 ? (
        <p className={css['muted']}>{of.status_message}.</p>
      ) : (
        <ul className={css['conditions']}>
          {found.map(({ name, tone, text }) => (
            <li key={name}>
              <Badge tone={tone}>{name}</Badge>
              <span dir="auto">{text}.</span>
            </li>
          ))}
        </ul>
      )}
      {held && (
        <p>
          <Link href="/approvals">Open approvals</Link>
        </p>
      )}
    </Panel>
  );
}
