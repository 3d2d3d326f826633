// SPDX-License-Identifier: Apache-2.0

import type { ComponentProps, ReactNode } from 'react';
import { Link } from 'wouter';

import { classes } from './classes';
import css from './button.module.css';
import { Icon, type IconName } from './Icon';
import { sameOrigin } from './Picture';

type Look = 'primary' | 'default' | 'quiet' | 'danger';

interface Shared {
  readonly look?: Look;
  readonly icon?: IconName;
  readonly small?: boolean;
  readonly children?: ReactNode;
}

type ButtonProps = Shared & { readonly busy?: boolean } & Omit<ComponentProps<'button'>, 'className' | 'style'>;

export function Button({ look = 'default', icon, small, busy, children, type = 'button', ...rest }: ButtonProps) {
  return (
    <button
      {...rest}
      type={type}
      className={classes(css['button'], css[look], small && css['small'])}
      disabled={rest.disabled === true || busy === true}
      aria-busy={busy === true ? true : undefined}
    >
      {busy ? <span className={css['spinner']} aria-hidden="true" /> : icon && <Icon name={icon} />}
      {children}
    </button>
  );
}

type IconButtonProps = { readonly icon: IconName; readonly label: string } & Omit<
  ComponentProps<'button'>,
  'className' | 'style' | 'children' | 'aria-label'
>;

/** IconButton is a button without visible text. Its label is also its title, unless there is another. */
export function IconButton({ icon, label, type = 'button', ...rest }: IconButtonProps) {
  return (
    <button title={label} {...rest} type={type} className={css['iconOnly']} aria-label={label}>
      <Icon name={icon} />
    </button>
  );
}

/** ButtonLink leads to another screen. */
export function ButtonLink({ to, look = 'default', icon, small, children }: Shared & { readonly to: string }) {
  return (
    <Link href={to} className={classes(css['button'], css[look], small && css['small'])}>
      {icon && <Icon name={icon} />}
      {children}
    </Link>
  );
}

type OutsideProps = Shared & { readonly href: string; readonly download?: string | true };

/**
 * Outside leads out of the console, or to a file. Browsers show a file of another origin instead of saving it, so that
 * it gets a tab of its own.
 */
export function Outside({ href, download, look = 'default', icon, small, children }: OutsideProps) {
  const apart = download === undefined || !sameOrigin(href);
  return (
    <a
      href={href}
      className={classes(css['button'], css[look], small && css['small'])}
      {...(apart ? { target: '_blank', rel: 'noreferrer' } : {})}
      {...(download === undefined ? {} : { download })}
    >
      {icon && <Icon name={icon} />}
      {children}
    </a>
  );
}
