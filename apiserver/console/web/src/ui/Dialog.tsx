// SPDX-License-Identifier: Apache-2.0

import { useEffect, useId, useLayoutEffect, useRef, useState, type ReactNode } from 'react';

import { asFailure } from '../api/errors';
import { Button, IconButton } from './Button';
import { classes } from './classes';
import css from './dialog.module.css';
import { opened, toast } from './messages';

interface DialogProps {
  readonly title: string;
  readonly onClose?: () => void;
  readonly wide?: boolean;
  readonly footer?: ReactNode;
  readonly children: ReactNode;
}

/** Dialog is modal while it is mounted. Without onClose the user cannot dismiss it. */
export function Dialog({ title, onClose, wide, footer, children }: DialogProps) {
  const ref = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // A layout effect ends while the dialog is still in the page: only then close returns the focus to where it was.
  useLayoutEffect(() => {
    const dialog = ref.current;
    if (!dialog) {
      return undefined;
    }
    if (!dialog.open) {
      dialog.showModal();
    }
    const closed = opened(dialog);
    return () => {
      closed();
      dialog.close();
    };
  }, []);
  return (
    <dialog
      ref={ref}
      className={classes(css['dialog'], wide && css['wide'])}
      aria-labelledby={heading}
      onCancel={(event) => {
        event.preventDefault();
        onClose?.();
      }}
      onClose={(event) => {
        // A browser may close the dialog although the cancel event was handled.
        if (!event.currentTarget.isConnected) {
          return;
        }
        if (onClose) {
          onClose();
        } else {
          event.currentTarget.showModal();
        }
      }}
    >
      <header className={css['head']}>
        <h2 id={heading} dir="auto">
          {title}
        </h2>
        {onClose && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      <div className={css['body']}>{children}</div>
      {footer && <footer className={css['foot']}>{footer}</footer>}
    </dialog>
  );
}

interface ConfirmProps {
  readonly title: string;
  readonly action: string;
  readonly danger?: boolean;
  /** The label of the button that changes nothing. */
  readonly keep?: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/**
 * Confirm asks before an action. It stays open while the action runs, and shows the error if the action fails. If the
 * user left the page meanwhile, a toast shows the error.
 */
export function Confirm({ title, action, danger, keep = 'Back', onConfirm, onClose, children }: ConfirmProps) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const mounted = useRef(false);
  useEffect(() => {
    mounted.current = true;
    return () => {
      mounted.current = false;
    };
  }, []);
  const confirm = () => {
    setBusy(true);
    setProblem('');
    onConfirm().then(onClose, (error: unknown) => {
      const { message } = asFailure(error);
      if (mounted.current) {
        setProblem(message);
        setBusy(false);
      } else {
        toast(message, true);
      }
    });
  };
  return (
    <Dialog
      title={title}
      onClose={busy ? undefined : onClose}
      footer={
        <>
          <Button disabled={busy} onClick={onClose}>
            {keep}
          </Button>
          <Button look={danger ? 'danger' : 'primary'} busy={busy} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      <p role="alert" className={css['problem']}>
        {problem}
      </p>
    </Dialog>
  );
}
