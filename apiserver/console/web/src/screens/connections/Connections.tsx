// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { connectionsQuery } from '../../api/queries';
import type { ConnectedAccount, Creator, NotConnected } from '../../api/schema.gen';
import { connectionState, issueTone, privacyNames } from '../../lib/accounts';
import { curl } from '../../lib/curl';
import { dateTime, duration, platformName, plural, sentence } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button, Outside } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Badge, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { PlatformIcon } from '../../ui/Icon';
import { Meter } from '../../ui/Meter';
import { Page } from '../../ui/Page';
import { Fact, Facts } from '../../ui/Panel';
import { Avatar } from '../../ui/Picture';
import { ConnectDialog } from './ConnectDialog';
import css from './connections.module.css';

type Platform = ConnectedAccount['platform'];

/** Connections lists the accounts that the brand can publish to, with their state and what to do about it. */
export default function Connections() {
  const { brand } = useWorkspace();
  const connections = useQuery(connectionsQuery(brand.id));
  const [connecting, setConnecting] = useState<Platform | null>(null);
  const { data } = connections;
  return (
    <Page
      title="Connections"
      lead="The accounts that this brand publishes to."
      actions={<CopyCurl command={curl('GET', '/connections', brand.id)} />}
    >
      {connections.error && <ErrorNote error={connections.error} onRetry={() => void connections.refetch()} />}
      {connections.isPending && <Loading lines={6} />}
      {data && (
        <>
          {data.accounts.length === 0 && (
            <div className={css['hint']}>
              <Note>Connect the first account. Each platform asks you to allow Reelops to publish for you.</Note>
            </div>
          )}
          <ul className={css['grid']}>
            {data.accounts.map((account) => (
              <AccountCard
                key={account.social_data_id}
                account={account}
                onConnect={() => {
                  setConnecting(account.platform);
                }}
              />
            ))}
            {data.not_connected.map((platform) => (
              <Offer
                key={platform.platform}
                platform={platform}
                onConnect={() => {
                  setConnecting(platform.platform);
                }}
              />
            ))}
          </ul>
          {data.accounts.length > 0 && (
            <div className={css['another']} role="group" aria-label="Connect another account">
              <span>Connect another account on</span>
              {data.supported_platforms
                .filter((platform) => data.accounts.some((account) => account.platform === platform))
                .map((platform) => (
                  <Button
                    key={platform}
                    small
                    onClick={() => {
                      setConnecting(platform);
                    }}
                  >
                    <PlatformIcon platform={platform} />
                    {platformName(platform)}
                  </Button>
                ))}
            </div>
          )}
        </>
      )}
      {connecting && (
        <ConnectDialog
          platform={connecting}
          before={data?.accounts ?? []}
          onClose={() => {
            setConnecting(null);
          }}
        />
      )}
    </Page>
  );
}

interface AccountCardProps {
  readonly account: ConnectedAccount;
  readonly onConnect: () => void;
}

function AccountCard({ account, onConnect }: AccountCardProps) {
  const { zone } = useWorkspace();
  const state = connectionState(account.token_status);
  const name = account.account_name ?? account.username ?? platformName(account.platform);
  const broken = !['active', 'expiring_soon'].includes(account.token_status) || account.missing_scopes.length > 0;
  const { rate_limit: limit } = account;
  return (
    <li className={css['card']}>
      <header className={css['head']}>
        <Avatar url={account.avatar_url} name={name} platform={account.platform} large />
        <div className={css['names']}>
          <h2 dir="auto">{name}</h2>
          <p className={css['muted']}>
            {platformName(account.platform)}
            {account.username && (
              <>
                {' '}
                <bdi>@{account.username}</bdi>
              </>
            )}
          </p>
        </div>
        <Badge tone={state.tone}>{state.text}</Badge>
      </header>
      {account.issues.map((issue) => (
        <Note key={issue.code + issue.message} tone={issueTone(issue)}>
          {issue.message}
        </Note>
      ))}
      {account.missing_scopes.length > 0 && (
        <Note tone="warn">
          These permissions were not granted: {account.missing_scopes.join(', ')}. Connect again and allow them.
        </Note>
      )}
      <div className={css['limit']}>
        <p>
          {plural(limit.remaining, 'post')} left <span className={css['muted']}>({limit.label})</span>
        </p>
        <Meter
          value={limit.max > 0 ? limit.used / limit.max : 0}
          label={`${String(limit.used)} of ${String(limit.max)} posts used`}
          tone={limit.remaining === 0 ? 'bad' : 'neutral'}
        />
        {limit.limited && <p className={css['muted']}>Possible again at {dateTime(limit.resets_at, zone)}.</p>}
      </div>
      <Facts>
        {account.account_type && <Fact name="Type">{account.account_type}</Fact>}
        {account.token_expires_at && (
          <Fact name="Valid until">
            <time dateTime={account.token_expires_at}>{dateTime(account.token_expires_at, zone)}</time>
          </Fact>
        )}
        {account.last_published_at && (
          <Fact name="Last post">
            <time dateTime={account.last_published_at}>{dateTime(account.last_published_at, zone)}</time>
          </Fact>
        )}
        {account.creator && <CreatorFacts creator={account.creator} />}
      </Facts>
      <div className={css['actions']}>
        <Button small look={broken ? 'primary' : 'default'} icon="refresh" onClick={onConnect}>
          Reconnect
        </Button>
        {account.profile_url && (
          <Outside href={account.profile_url} small look="quiet" icon="external">
            Profile
          </Outside>
        )}
      </div>
    </li>
  );
}

/** CreatorFacts is what the platform allows the account for a direct post, as it last reported it. */
function CreatorFacts({ creator }: { readonly creator: Creator }) {
  const { zone } = useWorkspace();
  return (
    <>
      {creator.nickname && <Fact name="Creator">{creator.nickname}</Fact>}
      {creator.privacy_levels.length > 0 && (
        <Fact name="Audiences">{creator.privacy_levels.map((level) => privacyNames[level] ?? level).join(', ')}</Fact>
      )}
      {creator.disabled_interactions.length > 0 && (
        <Fact name="Switched off">{creator.disabled_interactions.map(sentence).join(', ')}</Fact>
      )}
      {creator.max_video_seconds !== null && (
        <Fact name="Longest video">{duration(creator.max_video_seconds)} minutes</Fact>
      )}
      <Fact name="Reported">
        <time dateTime={creator.observed_at}>{dateTime(creator.observed_at, zone)}</time>
      </Fact>
    </>
  );
}

interface OfferProps {
  readonly platform: NotConnected;
  readonly onConnect: () => void;
}

function Offer({ platform, onConnect }: OfferProps) {
  return (
    <li className={css['card']}>
      <header className={css['head']}>
        <span className={css['platform']}>
          <PlatformIcon platform={platform.platform} />
        </span>
        <div className={css['names']}>
          <h2>{platform.name}</h2>
          <p className={css['muted']}>Not connected</p>
        </div>
      </header>
      {platform.configured ? (
        <div className={css['actions']}>
          <Button small look="primary" icon="connect" onClick={onConnect}>
            Connect
          </Button>
        </div>
      ) : (
        <p className={css['muted']}>
          This installation is not set up for {platform.name}. An administrator adds the client id and the secret.
        </p>
      )}
    </li>
  );
}
