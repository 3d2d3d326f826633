// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';

import { forget, steady } from '../lib/urls';
import { classes } from './classes';
import { Icon, PlatformIcon, type IconName } from './Icon';
import css from './picture.module.css';

interface PictureProps {
  readonly url: string | null | undefined;
  readonly alt: string;
  readonly fallback: IconName;
  readonly ratio?: string;
}

/** Picture is an image in a box of a fixed ratio. The box shows an icon while there is no image. */
export function Picture({ url: signed, alt, fallback, ratio = '9 / 16' }: PictureProps) {
  const [broken, setBroken] = useState('');
  const url = signed ? steady(signed) : '';
  const usable = url !== '' && url !== broken && allowed(url);
  return (
    <span className={css['picture']} style={{ aspectRatio: ratio }}>
      {usable ? (
        <img
          src={url}
          alt={alt}
          loading="lazy"
          decoding="async"
          onError={() => {
            forget(url);
            setBroken(url);
          }}
        />
      ) : (
        <Icon name={fallback} />
      )}
    </span>
  );
}

interface AvatarProps {
  readonly url: string | null | undefined;
  readonly name: string;
  readonly platform?: string;
  readonly large?: boolean;
}

/** Avatar is the image of an account, or its initial, with the platform in a corner. */
export function Avatar({ url, name, platform, large }: AvatarProps) {
  const [broken, setBroken] = useState('');
  return (
    <span className={classes(css['avatar'], large && css['large'])} aria-hidden="true">
      {url && url !== broken && allowedAvatar(url) ? (
        <img
          src={url}
          alt=""
          loading="lazy"
          referrerPolicy="no-referrer"
          onError={() => {
            setBroken(url);
          }}
        />
      ) : (
        <span>{Array.from(name.trim())[0]?.toUpperCase() ?? '?'}</span>
      )}
      {platform && (
        <span className={css['corner']}>
          <PlatformIcon platform={platform} />
        </span>
      )}
    </span>
  );
}

/**
 * allowed reports whether the page's content security policy permits a file of the URL's origin. The server lists the
 * origins in a meta element. Without it the browser decides.
 */
export function allowed(url: string): boolean {
  const listed = document.querySelector<HTMLMetaElement>('meta[name="reelops-media-origins"]');
  if (!listed || url.startsWith('data:') || url.startsWith('blob:')) {
    return true;
  }
  return sameOrigin(url) || listed.content.split(' ').includes(originOf(url));
}

/**
 * allowedAvatar reports whether the content security policy permits the image of an account. A source such as
 * https://*.example.com permits the subdomains.
 */
function allowedAvatar(url: string): boolean {
  const listed = document.querySelector<HTMLMetaElement>('meta[name="reelops-avatar-origins"]');
  const origin = originOf(url);
  return (
    allowed(url) ||
    (listed?.content.split(' ') ?? []).some((source) => {
      const [scheme, domain] = source.split('*');
      return domain === undefined ? source === origin : origin.startsWith(scheme ?? '') && origin.endsWith(domain);
    })
  );
}

/** sameOrigin reports whether the file is on the console's own server. Text tracks of other origins need CORS. */
export function sameOrigin(url: string): boolean {
  return originOf(url) === location.origin;
}

function originOf(url: string): string {
  return URL.canParse(url, location.href) ? new URL(url, location.href).origin : '';
}
