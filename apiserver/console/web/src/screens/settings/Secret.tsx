// SPDX-License-Identifier: Apache-2.0

import { Button } from '../../ui/Button';
import { Command } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { Note } from '../../ui/Feedback';

interface SecretProps {
  readonly text: string;
  readonly note: string;
  readonly onClose: () => void;
}

/** Secret shows a secret that is shown only once. */
export function Secret({ text, note, onClose }: SecretProps) {
  return (
    <Dialog
      title="Copy the secret now"
      footer={
        <Button look="primary" onClick={onClose}>
          I stored it
        </Button>
      }
    >
      <Note tone="warn">{note}</Note>
      <Command text={text} />
    </Dialog>
  );
}
