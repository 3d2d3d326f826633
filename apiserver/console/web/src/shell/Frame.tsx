// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';

import { postsQuery } from '../api/queries';
import type { SignedIn } from '../api/session';
import { leave } from '../lib/leaving';
import { classes } from '../ui/classes';
import { Icon, type IconName } from '../ui/Icon';
import { Menu, MenuItem } from '../ui/Menu';
import { Brandmark } from './Brandmark';
import { BrandMenu, UserMenu } from './menus';
import css from './frame.module.css';
import type { Workspace } from './workspace';

interface Destination {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
}

const destinations: readonly Destination[] = [
  { to: '/create', label: 'Create', icon: 'create' },
  { to: '/', label: 'Library', icon: 'library' },
  { to: '/calendar', label: 'Calendar', icon: 'calendar' },
  { to: '/approvals', label: 'Approvals', icon: 'approve' },
  { to: '/automations', label: 'Automations', icon: 'automation' },
  { to: '/media', label: 'Media', icon: 'media' },
  { to: '/connections', label: 'Connections', icon: 'connect' },
  { to: '/activity', label: 'Activity', icon: 'activity' },
  { to: '/analytics', label: 'Analytics', icon: 'analytics' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
];

// The first destinations have a place in the bar of narrow screens. The others are in its menu.
const inBar = 4;

interface FrameProps {
  readonly session: SignedIn;
  readonly workspace?: Workspace;
  readonly children: ReactNode;
}

/** Frame is the layout around the screens: navigation, switches and the main region. */
export function Frame({ session, workspace, children }: FrameProps) {
  const main = useRef<HTMLElement>(null);
  const [path, navigate] = useLocation();
  const before = useRef(path);
  useEffect(() => {
    if (before.current !== path) {
      before.current = path;
      scrollTo({ top: 0 });
      // A screen may have moved the focus to its first field.
      if (!main.current?.contains(document.activeElement)) {
        main.current?.focus({ preventScroll: true });
      }
    }
  }, [path]);
  return (
    <div className={css['frame']}>
      <a className={css['skip']} href="#content">
        Skip to content
      </a>
      <header className={css['side']}>
        <div className={css['top']}>
          <Link href="/" className={css['home']}>
            <Brandmark />
          </Link>
        </div>
        <BrandMenu session={session} {...(workspace ? { workspace } : {})} />
        <nav className={css['nav']} aria-label="Main">
          <ul>
            {destinations.map((d) => (
              <li key={d.to}>
                <Destination {...d} active={isActive(path, d.to)} workspace={workspace} />
              </li>
            ))}
          </ul>
        </nav>
        <div className={css['user']}>
          <UserMenu session={session} />
        </div>
      </header>
      <main ref={main} id="content" className={css['main']} tabIndex={-1}>
        {children}
      </main>
      <nav className={css['bar']} aria-label="Main">
        <ul>
          {destinations.slice(0, inBar).map((d) => (
            <li key={d.to}>
              <Destination {...d} active={isActive(path, d.to)} workspace={workspace} />
            </li>
          ))}
          <li>
            <Menu
              label="other pages"
              trigger={
                <span className={css['moreTrigger']}>
                  <Icon name="more" />
                  More
                </span>
              }
            >
              {destinations.slice(inBar).map((d) => (
                <MenuItem
                  key={d.to}
                  icon={d.icon}
                  checked={isActive(path, d.to)}
                  onSelect={() => {
                    leave(() => {
                      navigate(d.to);
                    });
                  }}
                >
                  {d.label}
                </MenuItem>
              ))}
            </Menu>
          </li>
        </ul>
      </nav>
    </div>
  );
}

function isActive(path: string, to: string): boolean {
  if (to === '/') {
    return path === '/' || path.startsWith('/shorts');
  }
  return path.startsWith(to) || (to === '/activity' && path.startsWith('/posts'));
}

interface DestinationProps extends Destination {
  readonly active: boolean;
  readonly workspace: Workspace | undefined;
}

function Destination({ to, label, icon, active, workspace }: DestinationProps) {
  return (
    <Link
      href={to}
      className={classes(css['link'], active && css['active'])}
      aria-current={active ? 'page' : undefined}
    >
      <Icon name={icon} />
      <span>{label}</span>
      {to === '/approvals' && workspace?.can('posts:read') && <Waiting brand={workspace.brand.id} />}
    </Link>
  );
}

/** Waiting is the number of posts that await approval. */
function Waiting({ brand }: { readonly brand: number }) {
  const posts = useQuery({ ...postsQuery(brand, { status: 'draft' }, 1), staleTime: 60_000 });
  const total = posts.data?.meta.pagination?.total_count ?? 0;
  return total === 0 ? null : (
    <span className={css['count']} aria-label={`${String(total)} waiting`}>
      {total}
    </span>
  );
}
