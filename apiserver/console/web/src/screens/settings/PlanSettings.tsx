// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';

import { accountQuery } from '../../api/queries';
import { curl } from '../../lib/curl';
import { date, plural } from '../../lib/format';
import { count } from '../../lib/numbers';
import { useWorkspace } from '../../shell/workspace';
import { CopyCurl } from '../../ui/Copy';
import { ErrorNote, Loading } from '../../ui/Feedback';
import { Meter } from '../../ui/Meter';
import { Fact, Facts, Panel } from '../../ui/Panel';
import css from './settings.module.css';

/** PlanSettings shows the plan of the account and what is left of its quota. */
export function PlanSettings() {
  const { account: name, zone } = useWorkspace();
  const account = useQuery(accountQuery(name));
  if (!account.data) {
    return account.error ? (
      <ErrorNote error={account.error} onRetry={() => void account.refetch()} />
    ) : (
      <Loading lines={6} />
    );
  }
  const { plan, user, brands } = account.data;
  const quota = plan.capabilities;
  const share = quota.unlimited ? 0 : quota.slideshows_used / Math.max(1, quota.slideshow_limit);
  return (
    <div className={css['panels']}>
      <Panel title="Plan" actions={<CopyCurl command={curl('GET', '/account', null)} />}>
        <div className={css['quota']}>
          <p>
            <strong>{count(quota.slideshows_used)}</strong>
            {quota.unlimited
              ? ' slideshows and videos in this period, without a limit'
              : ` of ${count(quota.slideshow_limit)} slideshows and videos used`}
          </p>
          {!quota.unlimited && (
            <Meter value={share} label="Quota used" tone={share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'neutral'} />
          )}
          <p className={css['muted']}>The next period begins on {date(quota.period_end, zone)}.</p>
        </div>
        <Facts>
          <Fact name="Plan">{plan.name}</Fact>
          <Fact name="Account">{name}</Fact>
          <Fact name="Owner">{user.email}</Fact>
          <Fact name="Brands">{brands.map((b) => b.name).join(', ')}</Fact>
          {quota.automation_limit > 0 && (
            <Fact name="Automations">
              {count(quota.automations_used)} of {count(quota.automation_limit)}
            </Fact>
          )}
          {quota.current_credits !== undefined && (
            <Fact name="Credits">
              {plural(quota.current_credits, 'credit')}
              {quota.credits_reset_at && `, next grant on ${date(quota.credits_reset_at, zone)}`}
            </Fact>
          )}
        </Facts>
      </Panel>
    </div>
  );
}
