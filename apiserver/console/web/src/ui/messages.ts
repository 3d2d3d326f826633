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
let dialogs: readonly HTMLDialogElement[] = [];
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  toasts = next;
  notify();
}

function notify(): void {
  for (const listener of listeners) {
    listener();
  }
}

/** opened notes that a modal dialog opened. The result notes that it closed. */
export function opened(dialog: HTMLDialogElement): () => void {
  dialogs = [...dialogs, dialog];
  notify();
  return () => {
    dialogs = dialogs.filter((d) => d !== dialog);
    notify();
  };
}

/** topmost returns the open dialog above all others. Everything outside of it is inert. */
export function topmost(): HTMLDialogElement | undefined {
  return dialogs.at(-1);
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
