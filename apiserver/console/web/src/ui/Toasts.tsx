// SPDX-License-Identifier: Apache-2.0

import { useSyncExternalStore } from 'react';

import { IconButton } from './Button';
import { classes } from './classes';
import { Icon } from './Icon';
import css from './toasts.module.css';
import { current, dismiss, subscribe } from './messages';

/** Toasts is the live region of short messages. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, current);
  return (
    <div className={css['region']} role="status" aria-live="polite">
      {toasts.map((toast) => (
        <div key={toast.id} className={classes(css['toast'], toast.bad && css['bad'])}>
          <Icon name={toast.bad ? 'warning' : 'check'} />
          <span dir="auto">{toast.text}</span>
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
  );
}
