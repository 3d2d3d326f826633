// SPDX-License-Identifier: Apache-2.0

import type { ReactNode } from 'react';

import css from './icon.module.css';

const shapes = {
  activity: <path d="M3 12h4l3-8 4 16 3-8h4" />,
  add: <path d="M12 5v14M5 12h14" />,
  analytics: <path d="M4 20h16M7 16v-5M12 16V6M17 16v-8" />,
  approve: <path d="M9 12l2.2 2.2L15.5 10M12 3l7.5 3v5.5c0 4.4-3.1 7.6-7.5 9.5-4.4-1.9-7.5-5.1-7.5-9.5V6z" />,
  automation: <path d="M12 7v5l3 2M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z" />,
  back: <path d="M15 5l-7 7 7 7" />,
  calendar: <path d="M4 9h16M8 3v4M16 3v4M5 5h14a1 1 0 0 1 1 1v13a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V6a1 1 0 0 1 1-1z" />,
  check: <path d="M5 12.5l4.5 4.5L19 7.5" />,
  close: <path d="M6 6l12 12M18 6L6 18" />,
  connect: (
    <path d="M10 14a4 4 0 0 0 5.7 0l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-5.7 0l-3 3a4 4 0 0 0 5.7 5.7l1-1" />
  ),
  copy: <path d="M9 9h10v11H9zM5 15V4h10" />,
  create: <path d="M12 4v4M12 16v4M4 12h4M16 12h4M6.5 6.5l2.5 2.5M15 15l2.5 2.5M6.5 17.5L9 15M15 9l2.5-2.5" />,
  down: <path d="M6 9l6 6 6-6" />,
  download: <path d="M12 4v11M7.5 11l4.5 4.5 4.5-4.5M5 20h14" />,
  earlier: <path d="M12 20V5M5 12l7-7 7 7" />,
  edit: <path d="M4 20l1-5L15.5 4.5l4 4L9 19zM13 7l4 4" />,
  external: <path d="M14 4h6v6M20 4l-9 9M18 14v5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h5" />,
  info: <path d="M12 11v5M12 8v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0z" />,
  later: <path d="M12 4v15M5 12l7 7 7-7" />,
  library: <path d="M4 4h6v16H4zM14 4h6v9h-6zM14 17h6v3h-6z" />,
  media: <path d="M4 5h16v14H4zM4 16l4.5-4.5 3.5 3.5 3-3 5 4.5M15.5 9.5v.01" />,
  menu: <path d="M4 7h16M4 12h16M4 17h16" />,
  more: <path d="M5 12h.01M12 12h.01M19 12h.01" />,
  music: <path d="M9 18V6l10-2v12M9 18a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0zM19 16a2.5 2.5 0 1 1-5 0 2.5 2.5 0 0 1 5 0z" />,
  next: <path d="M9 5l7 7-7 7" />,
  pause: <path d="M8 5v14M16 5v14" />,
  play: <path d="M8 5.5v13l10.5-6.5z" />,
  publish: <path d="M21 3L10 14M21 3l-7 18-4-7-7-4z" />,
  redo: <path d="M15 4l5 5-5 5M20 9H10a6 6 0 0 0 0 12h2" />,
  refresh: <path d="M20 11a8 8 0 0 0-14.5-3.5L4 9M4 4v5h5M4 13a8 8 0 0 0 14.5 3.5L20 15M20 20v-5h-5" />,
  search: <path d="M11 18a7 7 0 1 1 0-14 7 7 0 0 1 0 14zM20 20l-4-4" />,
  settings: (
    <path d="M4 7h9M17 7h3M4 12h3M11 12h9M4 17h11M19 17h1M15 5v4M9 10v4M17 15v4" />
  ),
  terminal: <path d="M5 7l4.5 5L5 17M12 17h7" />,
  trash: <path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13" />,
  undo: <path d="M9 4L4 9l5 5M4 9h10a6 6 0 0 1 0 12h-2" />,
  upload: <path d="M12 16V5M7.5 9L12 4.5 16.5 9M5 20h14" />,
  user: <path d="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20c.8-3.8 3.7-6 7.5-6s6.7 2.2 7.5 6" />,
  video: <path d="M4 6h11v12H4zM15 10.5l5-3v9l-5-3" />,
  warning: <path d="M12 4l9 16H3zM12 10v4M12 17v.01" />,
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof shapes;

/** Icon is a decoration beside a text, or inside a control with a label of its own. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg className={css['icon']} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {shapes[name]}
    </svg>
  );
}

const platforms: Readonly<Record<string, ReactNode>> = {
  tiktok: <path d="M14 4v11a3.5 3.5 0 1 1-3.5-3.5M14 4c.3 2.8 2.2 4.7 5 5" />,
  youtube: (
    <>
      <path d="M6 6h12a3 3 0 0 1 3 3v6a3 3 0 0 1-3 3H6a3 3 0 0 1-3-3V9a3 3 0 0 1 3-3z" />
      <path d="M10.5 9.5v5l4-2.5z" />
    </>
  ),
  instagram: (
    <path d="M8 4h8a4 4 0 0 1 4 4v8a4 4 0 0 1-4 4H8a4 4 0 0 1-4-4V8a4 4 0 0 1 4-4zM15.5 12a3.5 3.5 0 1 1-7 0 3.5 3.5 0 0 1 7 0zM17 7v.01" />
  ),
  linkedin: <path d="M4 4h16v16H4zM8 11v5M8 8v.01M12 16v-5M12 13.5c0-3.3 4.5-3.3 4.5 0V16" />,
};

export function PlatformIcon({ platform }: { readonly platform: string }) {
  return (
    <svg className={css['icon']} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      {platforms[platform] ?? <circle cx="12" cy="12" r="8" />}
    </svg>
  );
}
