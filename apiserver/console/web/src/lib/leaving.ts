// SPDX-License-Identifier: Apache-2.0

type Go = () => void;

let guard: ((go: Go) => void) | null = null;

/** leave calls go, which shows another screen or brand. A screen with unsaved input asks the user first. */
export function leave(go: Go): void {
  if (guard) {
    guard(go);
  } else {
    go();
  }
}

/** guardWith makes leave call the function instead. The result ends that. */
export function guardWith(ask: (go: Go) => void): () => void {
  guard = ask;
  return () => {
    if (guard === ask) {
      guard = null;
    }
  };
}
