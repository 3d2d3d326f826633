// SPDX-License-Identifier: Apache-2.0

import { useEffect, useState } from 'react';

import { Button } from './Button';
import css from './copy.module.css';
import type { IconName } from './Icon';
import { toast } from './messages';

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    toast('The browser did not allow the copy.', true);
    return false;
  }
}

interface CopyButtonProps {
  readonly text: string;
  readonly label: string;
  readonly icon?: IconName;
  readonly look?: 'default' | 'quiet' | 'primary';
}

/** CopyButton copies a text to the clipboard. */
export function CopyButton({ text, label, icon = 'copy', look = 'default' }: CopyButtonProps) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) {
      return undefined;
    }
    const timer = setTimeout(() => {
      setCopied(false);
    }, 2000);
    return () => {
      clearTimeout(timer);
    };
  }, [copied]);
  return (
    <Button
      small
      look={look}
      icon={copied ? 'check' : icon}
      onClick={() => {
        void copy(text).then(setCopied);
      }}
    >
      <span aria-live="polite">{copied ? 'Copied' : label}</span>
    </Button>
  );
}

/** CopyCurl copies the API request behind a list or an action. */
export function CopyCurl({ command }: { readonly command: string }) {
  return <CopyButton text={command} label="Copy as curl" icon="terminal" look="quiet" />;
}

/** Command is a command line to copy. */
export function Command({ text }: { readonly text: string }) {
  return (
    <div className={css['command']}>
      <pre tabIndex={0} role="group" aria-label="Command">
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label="Copy" />
    </div>
  );
}
