// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import { Link } from 'wouter';

import { setAccount, setBrand } from '../api/client';
import { brandQuery, brandsQuery } from '../api/queries';
import type { BrandSummary } from '../api/schema.gen';
import type { SignedIn } from '../api/session';
import { quote } from '../lib/curl';
import { Command } from '../ui/Copy';
import { Empty, ErrorNote, Loading, Note } from '../ui/Feedback';
import css from './app.module.css';
import { Frame } from './Frame';
import { Screens } from './Screens';
import { WorkspaceContext, type Workspace } from './workspace';

interface ShellProps {
  readonly session: SignedIn;
}

const brandKey = (account: string) => `reelops.brand.${account}`;

/** Shell loads the brands of the account and shows the screens for one of them. */
export function Shell({ session }: ShellProps) {
  const { account } = session;
  // The account has to be set before the first request. The component is mounted anew for each account.
  useState(() => {
    setAccount(account);
  });
  const brands = useQuery({ ...brandsQuery(account), enabled: account !== '' });
  const [chosen, setChosen] = useState(() => Number(localStorage.getItem(brandKey(account))));
  const selectBrand = useCallback(
    (id: number) => {
      localStorage.setItem(brandKey(account), String(id));
      setChosen(id);
    },
    [account],
  );
  const list = brands.data;
  const brand = list?.find((b) => b.id === chosen) ?? list?.find((b) => b.is_current) ?? list?.[0];
  if (brand && list) {
    return <WithBrand key={brand.id} session={session} brand={brand} brands={list} selectBrand={selectBrand} />;
  }
  if (account === '') {
    return (
      <Frame session={session}>
        <Empty icon="user" title="You have no access to an account">
          <p>
            An account is a namespace. Ask an administrator for a role in one, such as reelops-viewer or
            reelops-publisher, for the user {session.user.name}.
          </p>
        </Empty>
      </Frame>
    );
  }
  return (
    <Frame session={session}>
      {brands.error && <ErrorNote error={brands.error} onRetry={() => void brands.refetch()} />}
      {brands.isPending && <Loading lines={6} />}
      {list?.length === 0 && (
        <Empty icon="library" title="Create the first brand">
          <p>
            Account {account} has no brand. A brand holds the shorts, media and connected accounts of one company or
            person.
          </p>
          <Command text={`reelops brand create NAME --account ${quote(account)} --display-name 'Your brand'`} />
        </Empty>
      )}
    </Frame>
  );
}

interface WithBrandProps extends ShellProps {
  readonly brand: BrandSummary;
  readonly brands: readonly BrandSummary[];
  readonly selectBrand: (id: number) => void;
}

function WithBrand({ session, brand, brands, selectBrand }: WithBrandProps) {
  // The header has to be set before the first request of a screen. The component is mounted anew for each brand.
  useState(() => {
    setBrand(brand.id);
  });
  const detail = useQuery({ ...brandQuery(brand.id), refetchInterval: 60_000 });
  const suspended = detail.data?.posting_suspended === true;
  const zone = detail.data?.timezone ?? '';
  const workspace = useMemo<Workspace>(
    () => ({
      session,
      account: session.account,
      brand,
      brands,
      zone,
      can: (scope) => session.scopes.includes(scope),
      selectBrand,
    }),
    [session, brand, brands, zone, selectBrand],
  );
  return (
    <WorkspaceContext value={workspace}>
      <Frame session={session} workspace={workspace}>
        {suspended && (
          <div className={css['banner']}>
            <Note tone="warn">
              <p>
                Publishing is suspended for <bdi>{brand.name}</bdi>: no post is sent.{' '}
                <Link href="/settings">Open settings</Link>
              </p>
            </Note>
          </div>
        )}
        {zone ? (
          <Screens />
        ) : detail.error ? (
          <ErrorNote error={detail.error} onRetry={() => void detail.refetch()} />
        ) : (
          <Loading lines={6} />
        )}
      </Frame>
    </WorkspaceContext>
  );
}
