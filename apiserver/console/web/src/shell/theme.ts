// SPDX-License-Identifier: Apache-2.0

export type Theme = 'system' | 'light' | 'dark';

const key = 'reelops.theme';

export function theme(): Theme {
  const stored = localStorage.getItem(key);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** setTheme stores the colour scheme. The value system follows the system's setting. */
export function setTheme(next: Theme): void {
  localStorage.setItem(key, next);
  applyTheme();
}

export function applyTheme(): void {
  const chosen = theme();
  if (chosen === 'system') {
    delete document.documentElement.dataset['theme'];
  } else {
    document.documentElement.dataset['theme'] = chosen;
  }
}
