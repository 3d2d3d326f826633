// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useSearchParams } from 'wouter';

import { Segmented } from '../../ui/Field';
import { Page, Toolbar } from '../../ui/Page';
import { BrandSettings } from './BrandSettings';
import { KeySettings } from './KeySettings';
import { PlanSettings } from './PlanSettings';

const tabs = [
  { value: 'brand', label: 'Brand' },
  { value: 'keys', label: 'API keys' },
  { value: 'plan', label: 'Plan' },
] as const;

/** Settings shows the brand, the API keys and the plan. */
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
      {tab === 'keys' && <KeySettings />}
      {tab === 'plan' && <PlanSettings />}
    </Page>
  );
}
