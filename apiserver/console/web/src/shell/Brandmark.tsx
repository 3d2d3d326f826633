// SPDX-License-Identifier: Apache-2.0

import css from './app.module.css';

export function Brandmark() {
  return (
    <span className={css['brandmark']}>
      <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        <rect x="2" y="3" width="9" height="18" rx="2.5" fill="currentColor" />
        <rect x="13" y="3" width="9" height="8" rx="2.5" fill="currentColor" opacity=".55" />
        <rect x="13" y="13" width="9" height="8" rx="2.5" fill="currentColor" opacity=".3" />
      </svg>
      Reelops
    </span>
  );
}
