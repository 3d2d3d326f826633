// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useSearchParams } from 'wouter';

import { Segmented } from '../../ui/Field';
import { Page, Toolbar } from '../../ui/Page';
import { BrandSettings } from './BrandSettings';
import { KeySettings } from './KeySettings';
import { MemberSettings } from './MemberSettings';
import { PlanSettings } from './PlanSettings';
import { PostingSettings } from './PostingSettings';
import { WebhookSettings } from './WebhookSettings';

const tabs = [
  { value: 'brand', label: 'Brand' },
  { value: 'posting', label: 'Posting' },
  { value: 'members', label: 'Members' },
  { value: 'keys', label: 'API keys' },
  { value: 'webhooks', label: 'Webhooks' },
  { value: 'plan', label: 'Plan' },
] as const;

/** Settings has the brand, its posting defaults, the members, the API keys, the webhooks and the plan. */
export default function Settings() {
  const [search, setSearch] = useSearchParams();
  const tab = tabs.find((t) => t.value === search.get('tab'))?.value ?? 'brand';
  return (
    <Page title="Settings">
      <Toolbar label="Section">
        <Segmented
          label="Section"
          value={tab}
          choices={tabs}
          onChange={(next) => {
            setSearch({ tab: next });
          }}
        />
      </Toolbar>
      {tab === 'brand' && <BrandSettings />}
      {tab === 'posting' && <PostingSettings />}
      {tab === 'members' && <MemberSettings />}
      {tab === 'keys' && <KeySettings />}
      {tab === 'webhooks' && <WebhookSettings />}
      {tab === 'plan' && <PlanSettings />}
    </Page>
  );
}

export { Authorize } from './Authorize';
