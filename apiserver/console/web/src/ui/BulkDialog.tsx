// SPDX-License-Identifier: Apache-2.0

import { useState, type ReactNode } from 'react';

import { plural } from '../lib/format';
import { Button } from './Button';
import { Dialog } from './Dialog';
import css from './bulk.module.css';

interface Failed<Item> {
  readonly item: Item;
  readonly error: unknown;
}

interface BulkDialogProps<Item> {
  readonly title: string;
  readonly action: string;
  readonly items: readonly Item[];
  /** The noun of an item, for the progress. */
  readonly noun: string;
  readonly run: (item: Item) => Promise<void>;
  /** Called once after all items, with the number of those that succeeded. */
  readonly onDone: (count: number) => Promise<void>;
  readonly onClose: () => void;
  readonly failure: (item: Item, error: unknown) => ReactNode;
  readonly children: ReactNode;
}

/** BulkDialog asks before it deletes several items. It stays open with the items that could not be deleted. */
export function BulkDialog<Item>(props: BulkDialogProps<Item>) {
  const { title, action, items, noun, run, onDone, onClose, failure, children } = props;
  const [busy, setBusy] = useState(false);
  const [at, setAt] = useState(0);
  const [failed, setFailed] = useState<readonly Failed<Item>[] | null>(null);
  const start = async () => {
    setBusy(true);
    const problems: Failed<Item>[] = [];
    for (const [i, item] of items.entries()) {
      setAt(i + 1);
      try {
        await run(item);
      } catch (error) {
        problems.push({ item, error });
      }
    }
    await onDone(items.length - problems.length);
    setBusy(false);
    if (problems.length === 0) {
      onClose();
    } else {
      setFailed(problems);
    }
  };
  return (
    <Dialog
      title={title}
      {...(busy ? {} : { onClose })}
      footer={
        failed ? (
          <Button look="primary" onClick={onClose}>
            Close
          </Button>
        ) : (
          <>
            <Button disabled={busy} onClick={onClose}>
              Keep
            </Button>
            <Button
              look="danger"
              icon="trash"
              busy={busy}
              onClick={() => {
                void start();
              }}
            >
              {action}
            </Button>
          </>
        )
      }
    >
      {failed ? <p role="alert">{plural(failed.length, noun)} could not be deleted.</p> : children}
      {busy && items.length > 1 && (
        <p role="status">
          {at} of {items.length}
        </p>
      )}
      {failed && (
        <ul className={css['list']}>
          {failed.map(({ item, error }, i) => (
            <li key={i}>{failure(item, error)}</li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}
