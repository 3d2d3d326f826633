// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useMemo, useReducer, useState } from 'react';

import { brandQuery, capabilitiesQuery, connectionsQuery, shortQuery } from '../../api/queries';
import type {
  Capabilities,
  ConnectedAccount,
  NotConnected,
  PostRequest,
  ShortDetail,
  Verdict,
} from '../../api/schema.gen';
import { validationQuery } from '../../api/validation';
import { usable } from '../../lib/accounts';
import { curl } from '../../lib/curl';
import { plural } from '../../lib/format';
import { useDebounced } from '../../lib/hooks';
import { fromInput, inputValue, minutesFromNow, timesOf } from '../../lib/time';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Empty, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Segmented, SelectField, TextField } from '../../ui/Field';
import { PlatformIcon } from '../../ui/Icon';
import { Leaving } from '../../ui/Leaving';
import { Page } from '../../ui/Page';
import { ConnectDialog } from '../connections/ConnectDialog';
import { Player } from '../short/Player';
import { Slides } from '../short/Slides';
import { AccountCard } from './AccountCard';
import css from './composer.module.css';
import { awaitsCreator, emptyEntry, entryOf, missing, reduce, requestOf, type Draft } from './draft';
import { Results } from './Results';
import { usePosting } from './submission';

type Platform = ConnectedAccount['platform'];

/** Composer publishes or schedules a short on several accounts, each with its own text. */
export default function Composer({ id }: { readonly id: number }) {
  const { brand } = useWorkspace();
  const short = useQuery(shortQuery(id));
  // TikTok reports the choices of an account some seconds after it is connected.
  const connections = useQuery({
    ...connectionsQuery(brand.id),
    refetchInterval: (query) => (query.state.data?.accounts.some(awaitsCreator) ? 3000 : false),
  });
  const capabilities = useQuery(capabilitiesQuery);
  // Without the brand, the time zone of the schedule is unknown.
  const detail = useQuery(brandQuery(brand.id));
  const [connecting, setConnecting] = useState<Platform | null>(null);
  const problem = short.error ?? connections.error ?? capabilities.error ?? detail.error;
  if (short.data && connections.data && capabilities.data && detail.data) {
    const { accounts, not_connected: others } = connections.data;
    return (
      <>
        {accounts.length > 0 ? (
          <Form short={short.data} accounts={accounts} offer={capabilities.data} />
        ) : (
          <NoAccount platforms={others.filter((other) => other.configured)} onConnect={setConnecting} />
        )}
        {connecting && (
          <ConnectDialog
            platform={connecting}
            before={accounts}
            onClose={() => {
              setConnecting(null);
            }}
          />
        )}
      </>
    );
  }
  return (
    <Page title="Publish">
      {problem ? (
        <ErrorNote
          error={problem}
          onRetry={() => {
            void short.refetch();
            void connections.refetch();
            void capabilities.refetch();
            void detail.refetch();
          }}
        />
      ) : (
        <Loading lines={8} />
      )}
    </Page>
  );
}

interface NoAccountProps {
  readonly platforms: readonly NotConnected[];
  readonly onConnect: (platform: Platform) => void;
}

/** NoAccount leads a user without an account to the first connection, and back to this page. */
function NoAccount({ platforms, onConnect }: NoAccountProps) {
  return (
    <Page title="Publish">
      <Empty
        icon="connect"
        title="Connect an account first"
        action={
          platforms.length === 0 ? (
            <ButtonLink to="/connections" icon="connect">
              Open connections
            </ButtonLink>
          ) : (
            <div className={css['connect']}>
              {platforms.map((one) => (
                <Button
                  key={one.platform}
                  onClick={() => {
                    onConnect(one.platform);
                  }}
                >
                  <PlatformIcon platform={one.platform} />
                  Connect {one.name}
                </Button>
              ))}
            </div>
          )
        }
      >
        <p>This brand has no account yet. The platform asks you to allow Reelops to publish for you.</p>
      </Empty>
    </Page>
  );
}

interface FormProps {
  readonly short: ShortDetail;
  readonly accounts: readonly ConnectedAccount[];
  readonly offer: Capabilities;
}

/** start returns the first draft. If there is only one account, it is chosen. */
const start = ({ zone, accounts }: Pick<FormProps, 'accounts'> & { readonly zone: string }): Draft => {
  const [only, ...others] = accounts;
  const chosen = only && others.length === 0 && usable(only);
  return {
    entries: chosen ? { [only.social_data_id]: { ...emptyEntry, on: true } } : {},
    media: 'auto',
    mode: 'direct',
    later: false,
    at: inputValue(minutesFromNow(60), zone),
  };
};

function Form({ short, accounts, offer }: FormProps) {
  const { brand, zone, can } = useWorkspace();
  const [draft, change] = useReducer(reduce, { zone, accounts }, start);
  const [first] = useState(draft);
  const request = useMemo(
    () => requestOf(draft, short.id, accounts, offer.platform_rules, zone),
    [draft, short.id, accounts, offer.platform_rules, zone],
  );
  const settled = useDebounced(request, 500);
  const { posting, pending } = usePosting(short.id);
  const chosen = accounts.filter((account) => entryOf(draft, account.social_data_id).on);
  const checked = (settled.social_data_ids?.length ?? 0) > 0;
  const validation = useQuery({
    ...validationQuery(brand.id, settled),
    enabled: checked && can('posts:read') && !posting.data,
  });
  if (posting.data) {
    return <Results short={short} result={posting.data} />;
  }
  const open = chosen
    .map((account) => missing(entryOf(draft, account.social_data_id), account, draft.mode))
    .filter(Boolean);
  const current = settled === request && !validation.isFetching;
  const rejected = checked && validation.data?.ok === false;
  const timed = !draft.later || timesOf(draft.at, zone).length > 0;
  const ready = chosen.length > 0 && open.length === 0 && current && !rejected && timed;
  const verdicts = chosen.length > 0 && checked ? validation.data?.verdicts : undefined;
  return (
    <Page title={`Publish ${short.title ?? `short ${String(short.id)}`}`}>
      <Leaving dirty={draft !== first} title="Leave without publishing?" text="Your texts and choices are not kept." />
      <form
        className={css['layout']}
        onSubmit={(event) => {
          event.preventDefault();
          posting.mutate(request);
        }}
      >
        <div className={css['side']}>
          <Content short={short} draft={draft} verdicts={verdicts ?? []} />
          <When draft={draft} onChange={(next) => { change({ type: 'draft', change: next }); }} offer={offer} />
          <What short={short} draft={draft} onChange={(next) => { change({ type: 'draft', change: next }); }} />
        </div>
        <div className={css['main']}>
          <p className={css['muted']}>Choose accounts. Each gets its own text.</p>
          <div className={css['accounts']}>
            {accounts.map((account) => (
              <AccountCard
                key={account.social_data_id}
                account={account}
                rule={offer.platform_rules[account.platform]}
                entry={entryOf(draft, account.social_data_id)}
                verdict={verdicts?.find((v) => v.social_data_id === account.social_data_id)}
                short={short}
                draft={draft}
                onChange={(next) => {
                  change({ type: 'entry', account: account.social_data_id, change: next });
                }}
              />
            ))}
          </div>
          <div className={css['issues']} aria-live="polite">
            {checked &&
              validation.data?.issues.map((issue) => (
                <Note key={issue.code + issue.message} tone={issue.severity === 'error' ? 'bad' : 'warn'}>
                  {issue.message}
                </Note>
              ))}
          </div>
          {validation.error && checked && <ErrorNote error={validation.error} />}
          {posting.error && !pending && <ErrorNote error={posting.error} />}
          {pending && !posting.isPending ? (
            <Unknown pending={pending.body} onRepeat={() => { posting.mutate(pending.body); }} />
          ) : (
            <div className={css['submit']}>
              <Button
                type="submit"
                look="primary"
                icon={draft.later ? 'calendar' : 'publish'}
                busy={posting.isPending}
                disabled={!ready || !can('posts:write')}
              >
                {label(draft, chosen.length)}
              </Button>
              <CopyCurl command={curl('POST', '/posts', brand.id, { body: request })} />
              <span className={css['muted']} role="status">
                {hint(chosen.length, open[0] ?? (timed ? undefined : 'Choose a time.'), current, rejected)}
              </span>
            </div>
          )}
        </div>
      </form>
    </Page>
  );
}

interface ContentProps {
  readonly short: ShortDetail;
  readonly draft: Draft;
  readonly verdicts: readonly Verdict[];
}

/** Content previews what will be posted: the video, the slides as photos, or both if the accounts differ. */
function Content({ short, draft, verdicts }: ContentProps) {
  const slides = 'slides' in short.type_data ? short.type_data.slides : [];
  const kinds = new Set(verdicts.map((verdict) => verdict.media_kind));
  const photos = slides.length > 0 && (kinds.has('photo_set') || draft.media === 'photo_set');
  return (
    <>
      {(!photos || kinds.has('video')) && <Player short={short} />}
      {photos && <Slides slides={slides} ratio={short.aspect_ratio.replace(':', ' / ')} />}
    </>
  );
}

function label(draft: Draft, count: number): string {
  const verb = draft.later ? 'Schedule' : draft.mode === 'draft' ? 'Send as draft' : 'Publish now';
  return count > 1 ? `${verb} on ${plural(count, 'account')}` : verb;
}

function hint(count: number, open: string | undefined, current: boolean, rejected: boolean): string {
  if (count === 0) {
    return 'Choose at least one account.';
  }
  if (open) {
    return open;
  }
  if (!current) {
    return 'Checking.';
  }
  return rejected ? 'Resolve the problems above.' : 'Ready.';
}

function Unknown({ pending, onRepeat }: { readonly pending: PostRequest; readonly onRepeat: () => void }) {
  const count = pending.social_data_ids?.length ?? 0;
  return (
    <Note tone="warn">
      <p>
        <strong>The outcome of your submission to {plural(count, 'account')} is unknown.</strong>
      </p>
      <p>The server did not answer. Send the same submission again: it is published at most once.</p>
      <div>
        <Button small icon="refresh" onClick={onRepeat}>
          Send again
        </Button>
      </div>
    </Note>
  );
}

interface WhenProps {
  readonly draft: Draft;
  readonly offer: Capabilities;
  readonly onChange: (change: Partial<Draft>) => void;
}

function When({ draft, offer, onChange }: WhenProps) {
  const { zone } = useWorkspace();
  const lead = Math.ceil(offer.scheduling.min_lead_seconds / 60);
  const times = timesOf(draft.at, zone);
  const skipped = times.length === 0 && fromInput(draft.at, zone) !== null;
  const twice = times.length > 1 ? ' This time occurs twice on that day. The first one is used.' : '';
  return (
    <fieldset className={css['group']}>
      <legend>When</legend>
      <Segmented
        label="When"
        value={draft.later ? 'later' : 'now'}
        choices={[
          { value: 'now', label: 'Now' },
          { value: 'later', label: 'At a time' },
        ]}
        onChange={(value) => {
          onChange({ later: value === 'later' });
        }}
      />
      {draft.later && (
        <TextField
          label="Date and time"
          hint={`${zone}. At least ${plural(lead, 'minute')} ahead.${twice}`}
          {...(skipped ? { problem: 'This time does not exist on that day: the clocks are set forward.' } : {})}
          type="datetime-local"
          required
          value={draft.at}
          onChange={(event) => {
            onChange({ at: event.target.value });
          }}
        />
      )}
    </fieldset>
  );
}

interface WhatProps {
  readonly short: ShortDetail;
  readonly draft: Draft;
  readonly onChange: (change: Partial<Draft>) => void;
}

function What({ short, draft, onChange }: WhatProps) {
  return (
    <>
      {short.short_type === 'SLIDESHOW' && (
        <SelectField
          label="Content"
          value={draft.media}
          onChange={(event) => {
            onChange({ media: event.target.value as Draft['media'] });
          }}
        >
          <option value="auto">Video, or photos if there is none</option>
          <option value="video">Video</option>
          <option value="photo_set">Slides as photos</option>
        </SelectField>
      )}
      <SelectField
        label="Mode"
        hint={draft.mode === 'draft' ? 'A person publishes it in the app of the platform.' : undefined}
        value={draft.mode}
        onChange={(event) => {
          onChange({ mode: event.target.value as Draft['mode'] });
        }}
      >
        <option value="direct">Publish directly</option>
        <option value="draft">Send as draft</option>
      </SelectField>
    </>
  );
}
