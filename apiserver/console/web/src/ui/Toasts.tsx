// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useSyncExternalStore } from 'react';

import { Button, IconButton } from './Button';
import { classes } from './classes';
import { Icon } from './Icon';
import css from './toasts.module.css';
import { current, dismiss, subscribe } from './messages';

/** Toasts shows short messages, and announces the last one. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, current);
  const region = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The newest element of the top layer is above an open dialog.
    region.current?.hidePopover();
    if (toasts.length > 0) {
      region.current?.showPopover();
    }
  }, [toasts]);
  return (
    <>
      <p className={css['spoken']} role="status">
        {toasts.at(-1)?.text}
      </p>
      <div ref={region} popover="manual" role="region" aria-label="Messages" className={css['region']}>
        {toasts.map((toast) => (
          <div key={toast.id} className={classes(css['toast'], toast.bad && css['bad'])}>
            <Icon name={toast.bad ? 'warning' : 'check'} />
            <span dir="auto">{toast.text}</span>
            {toast.action && (
              <Button
                small
                onClick={() => {
                  dismiss(toast.id);
                  toast.action?.run();
                }}
              >
                {toast.action.label}
              </Button>
            )}
            <IconButton
              icon="close"
              label="Dismiss"
              onClick={() => {
                dismiss(toast.id);
              }}
            />
          </div>
        ))}
      </div>
    </>
  );
}
