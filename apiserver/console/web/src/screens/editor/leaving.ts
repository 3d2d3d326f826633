// SPDX-License-Identifier: Apache-2.0

import { useEffect, useEffectEvent, useState } from 'react';

import { toast } from '../../ui/messages';

/** useLeaving holds back links while there are unsaved changes. It returns the address of such a link. */
export function useLeaving(dirty: boolean): readonly [string | null, (to: string | null) => void] {
  const [to, setTo] = useState<string | null>(null);
  useEffect(() => {
    if (!dirty) {
      return undefined;
    }
    const unload = (event: BeforeUnloadEvent) => {
      event.preventDefault();
    };
    const click = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const elsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey;
      if (!link || elsewhere || link.target || link.hash || link.origin !== location.origin) {
        return;
      }
      event.preventDefault();
      event.stopPropagation();
      setTo(link.pathname.replace(/^\/console/, '') + link.search || '/');
    };
    addEventListener('beforeunload', unload);
    document.addEventListener('click', click, true);
    return () => {
      removeEventListener('beforeunload', unload);
      document.removeEventListener('click', click, true);
    };
  }, [dirty]);
  const left = useEffectEvent(() => {
    if (dirty) {
      toast('Your unsaved changes are kept in this tab. Open the editor again to continue.');
    }
  });
  useEffect(
    () => () => {
      left();
    },
    [],
  );
  return [to, setTo];
}
