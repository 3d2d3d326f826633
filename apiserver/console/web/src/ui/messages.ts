// SPDX-License-Identifier: Apache-2.0

export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly bad: boolean;
  readonly action?: Action | undefined;
}

/** Action is what a toast offers. */
export interface Action {
  readonly label: string;
  readonly run: () => void;
}

let toasts: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  for (const listener of listeners) {
    listener();
  }
}

/** toast shows a short message for some seconds. Errors stay until they are dismissed. */
export function toast(text: string, bad = false, action?: Action): void {
  const id = ++last;
  set([...toasts.slice(-2), { id, text, bad, action }]);
  if (!bad) {
    setTimeout(
      () => {
        dismiss(id);
      },
      action ? 20_000 : 6000,
    );
  }
}

export function dismiss(id: number): void {
  set(toasts.filter((t) => t.id !== id));
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function current(): readonly Toast[] {
  return toasts;
}
