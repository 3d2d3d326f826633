// SPDX-License-Identifier: Apache-2.0

import { useEffect, useRef, useSyncExternalStore } from 'react';
import { createPortal } from 'react-dom';

import { Button, IconButton } from './Button';
import { classes } from './classes';
import { Icon } from './Icon';
import css from './toasts.module.css';
import { current, dismiss, subscribe, topmost } from './messages';

/** Toasts shows short messages, and announces the last one. It is inside of an open dialog, which is modal. */
export function Toasts() {
  const toasts = useSyncExternalStore(subscribe, current);
  const dialog = useSyncExternalStore(subscribe, topmost);
  const region = useRef<HTMLDivElement>(null);
  const spoken = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // Until the dialog reports that it closed, its element, which is removed already, contains the region.
    if (region.current?.isConnected) {
      // The newest element of the top layer is above an open dialog.
      region.current.hidePopover();
      if (toasts.length > 0) {
        region.current.showPopover();
      }
    }
    // Screen readers announce a change of the element, but not the text with which it is created.
    if (spoken.current) {
      spoken.current.textContent = toasts.at(-1)?.text ?? '';
    }
  }, [toasts, dialog]);
  return createPortal(
    <>
      <p ref={spoken} className={css['spoken']} role="status" />
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
    </>,
    dialog ?? document.body,
  );
}
