// SPDX-License-Identifier: Apache-2.0

type Go = () => void;

/** Guard belongs to a screen with unsaved input. */
interface Guard {
  /** Asks the user before go is called. */
  readonly ask: (go: Go) => void;
  /** Handles a step in the browser's history before the router does. */
  readonly pop: (event: Event) => void;
}

let guard: Guard | null = null;

// Listeners of the window are called in the order of their registration. The router registers its own when it is
// mounted, which is after this module is loaded.
addEventListener('popstate', (event) => {
  guard?.pop(event);
});

/** leave calls go, which shows another screen or brand. A screen with unsaved input asks the user first. */
export function leave(go: Go): void {
  if (guard) {
    guard.ask(go);
  } else {
    go();
  }
}

/** guardWith makes the guard decide about leaving. The result ends that. */
export function guardWith(next: Guard): () => void {
  guard = next;
  return () => {
    if (guard === next) {
      guard = null;
    }
  };
}
