// SPDX-License-Identifier: Apache-2.0

import { useId, useRef, type ReactNode } from 'react';

import css from './menu.module.css';
import { Icon, type IconName } from './Icon';

interface MenuProps {
  /** What the menu does. It follows the visible text in the name of the button. */
  readonly label: string;
  readonly trigger: ReactNode;
  readonly wide?: boolean;
  readonly children: ReactNode;
}

/** Menu is a button that opens a list of actions. Escape and a click outside close it. */
export function Menu({ label, trigger, wide, children }: MenuProps) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  const place = () => {
    const at = button.current?.getBoundingClientRect();
    const list = panel.current;
    if (!at || !list) {
      return;
    }
    const below = innerHeight - at.bottom > list.offsetHeight + 16 || at.top < list.offsetHeight;
    const left = Math.max(8, Math.min(at.left, innerWidth - list.offsetWidth - 8));
    list.style.left = `${String(left)}px`;
    list.style.top = below ? `${String(at.bottom + 4)}px` : `${String(at.top - list.offsetHeight - 4)}px`;
  };
  return (
    <>
      <button ref={button} type="button" className={wide ? css['wide'] : css['trigger']} popoverTarget={id}>
        {trigger}
        <span className={css['unseen']}>, {label}</span>
      </button>
      <div
        ref={panel}
        id={id}
        popover="auto"
        className={css['panel']}
        onToggle={(event) => {
          if (event.newState === 'open') {
            place();
          }
        }}
      >
        <ul>{children}</ul>
      </div>
    </>
  );
}

interface ItemProps {
  readonly icon?: IconName;
  readonly checked?: boolean;
  readonly onSelect: () => void;
  readonly children: ReactNode;
}

export function MenuItem({ icon, checked, onSelect, children }: ItemProps) {
  return (
    <li>
      <button
        type="button"
        className={css['item']}
        aria-current={checked ? 'true' : undefined}
        onClick={(event) => {
          event.currentTarget.closest<HTMLElement>('[popover]')?.hidePopover();
          onSelect();
        }}
      >
        {icon && <Icon name={icon} />}
        <span dir="auto">{children}</span>
        {checked && <Icon name="check" />}
      </button>
    </li>
  );
}

export function MenuHeading({ children }: { readonly children: ReactNode }) {
  return <li className={css['heading']}>{children}</li>;
}
