// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'wouter';

import { analyticsQuery } from '../../api/analytics';
import { curl } from '../../lib/curl';
import { platformName } from '../../lib/format';
import { short } from '../../lib/numbers';
import { useWorkspace } from '../../shell/workspace';
import { ButtonLink } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Empty, ErrorNote, Loading } from '../../ui/Feedback';
import { Page } from '../../ui/Page';
import { Avatar } from '../../ui/Picture';
import { AccountView } from './AccountView';
import css from './analytics.module.css';

/** Analytics shows the numbers of one account at a time. The account is part of the address. */
export default function Analytics() {
  const { brand } = useWorkspace();
  const [search, setSearch] = useSearchParams();
  const analytics = useQuery(analyticsQuery(brand.id));
  const accounts = analytics.data?.accounts ?? [];
  const asked = Number(search.get('account'));
  const account = accounts.find((a) => a.social_data_id === asked) ?? accounts[0];
  return (
    <Page title="Analytics" actions={<CopyCurl command={curl('GET', '/analytics', brand.id)} />}>
      {analytics.error && <ErrorNote error={analytics.error} onRetry={() => void analytics.refetch()} />}
      {analytics.isPending && <Loading lines={8} />}
      {analytics.data && accounts.length === 0 && (
        <Empty
          icon="analytics"
          title="No analytics yet"
          action={
            <ButtonLink to="/connections" look="primary" icon="connect">
              Connect an account
            </ButtonLink>
          }
        >
          <p>
            Followers, views and the numbers of each post appear here for connected accounts on{' '}
            {analytics.data.supported_platforms.map(platformName).join(', ')}.
          </p>
          {analytics.data.note && <p>{analytics.data.note}</p>}
        </Empty>
      )}
      {accounts.length > 0 && (
        <nav aria-label="Accounts">
          <ul className={css['accounts']}>
            {accounts.map((a) => {
              const name = a.account_name ?? platformName(a.platform);
              const active = a.social_data_id === account?.social_data_id;
              return (
                <li key={a.social_data_id}>
                  <button
                    type="button"
                    className={css['account']}
                    aria-current={active ? 'true' : undefined}
                    onClick={() => {
                      setSearch({ account: String(a.social_data_id) });
                    }}
                  >
                    <Avatar url={a.avatar_url} name={name} platform={a.platform} />
                    <span className={css['names']}>
                      <span dir="auto">{name}</span>
                      <small>
                        {a.follower_count === null ? 'Followers not reported' : `${short(a.follower_count)} followers`}
                      </small>
                    </span>
                  </button>
                </li>
              );
            })}
          </ul>
        </nav>
      )}
      {account && <AccountView key={account.social_data_id} account={account} />}
      {accounts.length > 0 && analytics.data?.note && <p className={css['note']}>{analytics.data.note}</p>}
    </Page>
  );
}
