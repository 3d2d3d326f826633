// SPDX-License-Identifier: Apache-2.0

import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';

import { asFailure } from '../api/errors';
import { selectAccount, signOut, type SignedIn } from '../api/session';
import { leave } from '../lib/leaving';
import { Icon } from '../ui/Icon';
import { Menu, MenuHeading, MenuItem } from '../ui/Menu';
import { Avatar } from '../ui/Picture';
import { toast } from '../ui/messages';
import css from './frame.module.css';
import { setTheme, theme, type Theme } from './theme';
import type { Workspace } from './workspace';

const SignOutEverywhere = lazy(() => import('./SignOutEverywhere'));

interface BrandMenuProps {
  readonly session: SignedIn;
  readonly workspace?: Workspace;
}

/** BrandMenu switches the brand and the account. */
export function BrandMenu({ session, workspace }: BrandMenuProps) {
  const [path, navigate] = useLocation();
  const switchAccount = (account: string) => {
    selectAccount(account).then(
      () => {
        location.assign('/console');
      },
      (error: unknown) => {
        toast(asFailure(error).message, true);
      },
    );
  };
  if (session.accounts.length === 0) {
    return null;
  }
  const name = workspace?.brand.name ?? session.account;
  return (
    <Menu
      wide
      label="switch brand or account"
      trigger={
        <>
          <Avatar url={null} name={name} />
          <span className={css['names']}>
            <span dir="auto">{name}</span>
            <small>{session.account}</small>
          </span>
          <Icon name="down" />
        </>
      }
    >
      {workspace && (
        <>
          <MenuHeading>Brand</MenuHeading>
          {workspace.brands.map((brand) => (
            <MenuItem
              key={brand.id}
              checked={brand.id === workspace.brand.id}
              onSelect={() => {
                leave(() => {
                  workspace.selectBrand(brand.id);
                  // A short belongs to one brand.
                  if (path.startsWith('/shorts')) {
                    navigate('/');
                  }
                });
              }}
            >
              {brand.name}
            </MenuItem>
          ))}
        </>
      )}
      <MenuHeading>Account</MenuHeading>
      {session.accounts.map((account) => (
        <MenuItem
          key={account}
          checked={account === session.account}
          onSelect={() => {
            if (account !== session.account) {
              switchAccount(account);
            }
          }}
        >
          {account}
        </MenuItem>
      ))}
    </Menu>
  );
}

const themes: readonly { readonly value: Theme; readonly label: string }[] = [
  { value: 'system', label: 'As the system' },
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

/** UserMenu has the colour scheme and the ways to sign out. */
export function UserMenu({ session }: { readonly session: SignedIn }) {
  const [chosen, setChosen] = useState(theme);
  const [asking, setAsking] = useState(false);
  const leave = async (everywhere: boolean) => {
    await signOut(everywhere);
    location.assign('/console');
  };
  return (
    <>
      <Menu
        wide
        label="appearance and sign-out"
        trigger={
          <>
            <Icon name="user" />
            <span className={css['names']}>
              <span dir="auto">{session.user.name}</span>
            </span>
          </>
        }
      >
        <MenuHeading>Appearance</MenuHeading>
        {themes.map((t) => (
          <MenuItem
            key={t.value}
            checked={t.value === chosen}
            onSelect={() => {
              setTheme(t.value);
              setChosen(t.value);
            }}
          >
            {t.label}
          </MenuItem>
        ))}
        <MenuHeading>Session</MenuHeading>
        <MenuItem
          onSelect={() => {
            leave(false).catch((error: unknown) => {
              toast(asFailure(error).message, true);
            });
          }}
        >
          Sign out
        </MenuItem>
        <MenuItem
          onSelect={() => {
            setAsking(true);
          }}
        >
          Sign out everywhere
        </MenuItem>
      </Menu>
      {asking && (
        <Suspense>
          <SignOutEverywhere
            user={session.user.name}
            onConfirm={() => leave(true)}
            onClose={() => {
              setAsking(false);
            }}
          />
        </Suspense>
      )}
    </>
  );
}
