// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState, type FormEvent } from 'react';

import { clientQuery, decideClient, type ClientRequest } from '../../api/authorization';
import type { Scope } from '../../api/session';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Page } from '../../ui/Page';
import { Fact, Facts, Panel } from '../../ui/Panel';
import { BrandField, inDays, NumberField } from './GrantFields';
import { allScopes, ScopeFields } from './ScopeFields';
import css from './settings.module.css';


/** Authorize asks the user whether an OAuth client, such as an agent, gets access. Clients send users to it. */
export function Authorize() {
  const query = location.search.slice(1);
  const request = useQuery(clientQuery(query));
  const refused = request.data?.redirect;
  useEffect(() => {
    if (refused) {
      location.replace(refused);
    }
  }, [refused]);
  return (
    <Page title="Connect an agent">
      {request.error && <ErrorNote error={request.error} onRetry={() => void request.refetch()} />}
      {(request.isPending || refused) && <Loading lines={6} />}
      {request.data && !refused && <Decision query={query} request={request.data} />}
    </Page>
  );
}

interface DecisionProps {
  readonly query: string;
  readonly request: ClientRequest;
}

function Decision({ query, request }: DecisionProps) {
  const { account, brand, can } = useWorkspace();
  const asked = allScopes.filter((scope) => request.scopes.includes(scope));
  const [brandId, setBrandId] = useState(brand.id);
  const [chosen, setChosen] = useState<readonly Scope[]>(() => asked.filter(can));
  const [days, setDays] = useState(90);
  const decide = useMutation({
    mutationFn: (approve: boolean) =>
      decideClient(
        query,
        approve
          ? { brand_id: brandId, scopes: chosen, expires_at: inDays(days) }
          : null,
      ),
    onSuccess: (redirect) => {
      location.assign(redirect);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    decide.mutate(true);
  };
  const name = request.name || 'A program without a name';
  const busy = decide.isPending || decide.isSuccess;
  return (
    <Panel title={name}>
      <form className={css['decision']} onSubmit={submit}>
        <p>
          <bdi>{name}</bdi> asks for access to the account <bdi>{account}</bdi> over the MCP server. It acts without you
          until the access ends. You can revoke it under Settings.
        </p>
        <Facts>
          <Fact name="Published by">{request.host || 'unknown: the program named itself'}</Fact>
          <Fact name="Returns to">{request.redirect_host}</Fact>
        </Facts>
        {request.this_computer && (
          <Note tone="warn">
            The answer goes to a program on this computer. Go on only if you just started to connect it there.
          </Note>
        )}
        <BrandField value={brandId} onChange={setBrandId} />
        <ScopeFields of={asked} chosen={chosen} onChange={setChosen} />
        <NumberField label="Until" value={days} onChange={setDays}>
          <option value={7}>In 7 days</option>
          <option value={30}>In 30 days</option>
          <option value={90}>In 90 days</option>
          <option value={365}>In a year</option>
        </NumberField>
        {decide.error && <ErrorNote error={decide.error} />}
        {decide.isSuccess && (
          <p role="status">
            The answer was sent to <bdi>{name}</bdi>. You can close this page.
          </p>
        )}
        <div className={css['actions']}>
          <Button
            look="primary"
            type="submit"
            busy={busy}
            disabled={chosen.length === 0}
          >
            Allow access
          </Button>
          <Button
            disabled={busy}
            onClick={() => {
              decide.mutate(false);
            }}
          >
            Refuse
          </Button>
        </div>
      </form>
    </Panel>
  );
}
