// SPDX-License-Identifier: Apache-2.0

import type { ComponentProps, ReactNode } from 'react';

import button from '../../ui/button.module.css';
import icon from '../../ui/icon.module.css';

const shapes = {
  undo: <path d="M9 5L4 10l5 5M4 10h10a6 6 0 0 1 0 12h-2" transform="translate(0 -1)" />,
  redo: <path d="M15 5l5 5-5 5M20 10H10a6 6 0 0 0 0 12h2" transform="translate(0 -1)" />,
  earlier: <path d="M12 20V5M5 12l7-7 7 7" />,
  later: <path d="M12 4v15M5 12l7 7 7-7" />,
  copy: <path d="M9 9h10v11H9zM5 15V4h10" />,
  trash: <path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13" />,
} satisfies Record<string, ReactNode>;

type ToolProps = { readonly icon: keyof typeof shapes; readonly label: string } & Omit<
  ComponentProps<'button'>,
  'className' | 'style' | 'children' | 'aria-label' | 'type'
>;

/** Tool is a button of the editor without visible text. */
export function Tool({ icon: shape, label, ...rest }: ToolProps) {
  return (
    <button title={label} {...rest} type="button" className={button['iconOnly']} aria-label={label}>
      <svg className={icon['icon']} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
        {shapes[shape]}
      </svg>
    </button>
  );
}
