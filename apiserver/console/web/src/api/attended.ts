// SPDX-License-Identifier: Apache-2.0

// A user who does nothing for this long counts as absent, in milliseconds.
const absence = 60_000;

let last = Date.now();

const note = () => {
  last = Date.now();
};

/** watchUser begins to note what the user does. Before that, the user counts as present for the first minute. */
export function watchUser(): void {
  for (const event of ['pointerdown', 'keydown', 'wheel', 'touchmove', 'focus']) {
    addEventListener(event, note, { capture: event !== 'focus', passive: true });
  }
}

/**
 * automatic returns the header of requests in the absence of the user, such as the polls of a page that is only shown.
 * The server does not extend the session for them.
 */
export function automatic(): Readonly<Record<string, string>> {
  return Date.now() - last < absence ? {} : { 'X-Reelops-Automatic': 'true' };
}
