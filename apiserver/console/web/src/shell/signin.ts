// SPDX-License-Identifier: Apache-2.0

export const signInCommand = 'kubectl reelops console';

const returnKey = 'reelops.return';

/** rememberPage stores the page to show after sign-in by a one-time link, which opens in another tab. */
export function rememberPage(): void {
  localStorage.setItem(returnKey, location.pathname + location.search);
}

/** takePage returns the stored page, or the first screen. */
export function takePage(): string {
  const page = localStorage.getItem(returnKey) ?? '';
  localStorage.removeItem(returnKey);
  return /^\/console(\/(?!link)[^\\]*|\?.*|)$/.test(page) ? page : '/console';
}
