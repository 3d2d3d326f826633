// SPDX-License-Identifier: Apache-2.0

import type { BatchResult, PostResult, ShortDetail } from '../../api/schema.gen';
import { dateTime, platformName, postState } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { ButtonLink } from '../../ui/Button';
import { Badge, ErrorNote } from '../../ui/Feedback';
import { Failure } from '../../api/errors';
import { PlatformIcon } from '../../ui/Icon';
import { Page, Panel } from '../../ui/Page';
import css from './composer.module.css';

interface ResultsProps {
  readonly short: ShortDetail;
  readonly result: BatchResult;
}

const titles: Readonly<Record<BatchResult['overall_status'], string>> = {
  success: 'Accepted on all accounts',
  partial: 'Accepted on some accounts',
  failed: 'Not accepted',
};

/** Results lists the outcome of a submission for each account. */
export function Results({ short, result }: ResultsProps) {
  return (
    <Page
      title={titles[result.overall_status]}
      actions={
        <>
          <ButtonLink to={`/shorts/${String(short.id)}`}>Back to the short</ButtonLink>
          <ButtonLink to="/calendar" look="primary" icon="calendar">
            Open the calendar
          </ButtonLink>
        </>
      }
    >
      <Panel>
        <ul className={css['results']} role="status">
          {result.results.map((one) => (
            <Result key={`${one.platform}-${String(one.social_data_id)}`} result={one} />
          ))}
        </ul>
      </Panel>
    </Page>
  );
}

function Result({ result }: { readonly result: PostResult }) {
  const { zone } = useWorkspace();
  const state = postState({ status: result.status, delivery_state: null });
  const { error } = result;
  return (
    <li className={css['result']}>
      <PlatformIcon platform={result.platform} />
      <span className={css['names']}>
        <span dir="auto">{result.account_name ?? platformName(result.platform)}</span>
        {result.scheduled_at && (
          <small>
            <time dateTime={result.scheduled_at}>{dateTime(result.scheduled_at, zone)}</time>
          </small>
        )}
      </span>
      <Badge tone={state.tone}>{state.text}</Badge>
      {error && (
        <div className={css['resultError']}>
          <ErrorNote error={new Failure(422, error.code, error.message, error.retryable, error.details)} />
        </div>
      )}
    </li>
  );
}
