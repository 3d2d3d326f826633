// SPDX-License-Identifier: Apache-2.0

import type { QueryClient } from '@tanstack/react-query';

import { asFailure } from '../../api/errors';
import type { KeepUpload } from '../../api/schema.gen';
import { upload } from '../../api/upload';
import { toast } from '../../ui/messages';

export type Purpose = NonNullable<KeepUpload['media_type']>;

/** Transfer is the upload of a file to the brand that was selected when it began. */
export interface Transfer {
  readonly id: number;
  readonly brand: number;
  readonly file: File;
  readonly purpose: Purpose;
  /** The sent share of the file, from 0 to 1. */
  readonly share: number;
  readonly state: 'running' | 'done' | 'failed';
  readonly problem: string;
  readonly abort: AbortController;
}

// Transfers continue while another screen is open.
let transfers: readonly Transfer[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Transfer[]): void {
  transfers = next;
  removeEventListener('beforeunload', hold);
  if (next.some((transfer) => transfer.state === 'running')) {
    addEventListener('beforeunload', hold);
  }
  for (const listener of listeners) {
    listener();
  }
}

/** hold makes the browser ask before it closes the page, which would end the transfers. */
function hold(event: BeforeUnloadEvent): void {
  event.preventDefault();
}

function update(id: number, change: Partial<Transfer>): void {
  set(transfers.map((transfer) => (transfer.id === id ? { ...transfer, ...change } : transfer)));
}

export function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}

export function current(): readonly Transfer[] {
  return transfers;
}

/** add uploads a file to the brand. A file with a problem is listed only. */
export function add(client: QueryClient, brand: number, file: File, purpose: Purpose, problem: string): void {
  const transfer: Transfer = {
    id: ++last,
    brand,
    file,
    purpose,
    share: 0,
    state: problem ? 'failed' : 'running',
    problem,
    abort: new AbortController(),
  };
  set([...transfers, transfer]);
  if (!problem) {
    run(client, transfer);
  }
}

/** repeat uploads the file of a failed transfer again. */
export function repeat(client: QueryClient, { id }: Transfer): void {
  update(id, { share: 0, state: 'running', problem: '', abort: new AbortController() });
  const again = transfers.find((transfer) => transfer.id === id);
  if (again) {
    run(client, again);
  }
}

/** remove removes a transfer from the list. It cancels the transfer if it is running. */
export function remove({ id, abort }: Transfer): void {
  abort.abort();
  set(transfers.filter((transfer) => transfer.id !== id));
}

function run(client: QueryClient, { id, brand, file, purpose, abort: { signal } }: Transfer): void {
  const progress = (share: number) => {
    update(id, { share });
  };
  upload(file, purpose, brand, progress, signal).then(
    () => {
      update(id, { state: 'done', share: 1 });
      void client.invalidateQueries({ queryKey: ['media'] });
    },
    (error: unknown) => {
      if (signal.aborted) {
        return;
      }
      const { message } = asFailure(error);
      update(id, { state: 'failed', problem: message });
      if (listeners.size === 0) {
        toast(`The upload of ${file.name} failed. ${message}`, true);
      }
    },
  );
}
