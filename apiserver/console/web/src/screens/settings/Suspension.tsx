// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';

import { useBrandEdit } from '../../api/brand';
import type { BrandDetail } from '../../api/schema.gen';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Confirm } from '../../ui/Dialog';
import { Note } from '../../ui/Feedback';
import { toast } from '../../ui/messages';
import { Panel } from '../../ui/Panel';
import css from './settings.module.css';

/** Suspension is the switch that stops all publishing of the brand. */
export function Suspension({ brand }: { readonly brand: BrandDetail }) {
  const { account, can } = useWorkspace();
  const [asking, setAsking] = useState(false);
  const suspended = brand.posting_suspended === true;
  const edit = useBrandEdit(brand.id, account, () => {
    toast(suspended ? 'Publishing is resumed' : 'Publishing is suspended');
  });
  return (
    <Panel title="Publishing">
      <div className={css['form']}>
        {suspended ? (
          <Note tone="warn">Publishing is suspended. No post of this brand is sent.</Note>
        ) : (
          <p className={css['muted']}>Posts are published at their times. You can stop all of them at once.</p>
        )}
        <div>
          <Button
            look={suspended ? 'primary' : 'danger'}
            disabled={!can('brand:write')}
            onClick={() => {
              setAsking(true);
            }}
          >
            {suspended ? 'Resume publishing' : 'Suspend publishing'}
          </Button>
        </div>
      </div>
      {asking && (
        <Confirm
          title={suspended ? 'Resume publishing' : 'Suspend publishing'}
          action={suspended ? 'Resume publishing' : 'Suspend publishing'}
          danger={!suspended}
          onConfirm={async () => {
            await edit.mutateAsync({ posting_suspended: !suspended });
          }}
          onClose={() => {
            setAsking(false);
          }}
        >
          {suspended ? (
            <p>
              Posts that became due in the meantime are late. They are published now, or fail if they are too late.
              Later posts are published at their times.
            </p>
          ) : (
            <p>
              No post of <bdi>{brand.name}</bdi> is sent on any platform until you resume, whoever scheduled it. A post
              that is being sent right now may still appear.
            </p>
          )}
        </Confirm>
      )}
    </Panel>
  );
}
