// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';

import type { Post } from '../../api/additions';
import { plural } from '../../lib/format';
import { save } from '../../lib/text';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Command } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { Note } from '../../ui/Feedback';
import { Segmented } from '../../ui/Field';
import { open, readCommand, script } from './manifests';

const forms = [
  { value: 'manifest', label: 'Manifests' },
  { value: 'curl', label: 'curl script' },
] as const;

interface ExportDialogProps {
  /** The name of the period. */
  readonly title: string;
  readonly posts: readonly Post[];
  readonly onClose: () => void;
}

/** ExportDialog offers the posts of the shown period as manifests, or as a script of API requests. */
export function ExportDialog({ title, posts, onClose }: ExportDialogProps) {
  const { account, brand } = useWorkspace();
  const [form, setForm] = useState<(typeof forms)[number]['value']>('manifest');
  const planned = open(posts);
  const text = script(planned, brand.id);
  return (
    <Dialog
      title={`Export ${title}`}
      wide
      onClose={onClose}
      footer={
        form === 'curl' && (
          <Button
            look="primary"
            icon="download"
            disabled={planned.length === 0}
            onClick={() => {
              save(`posts-${title.toLowerCase().replaceAll(' ', '-')}.sh`, 'text/x-shellscript', text);
            }}
          >
            Download
          </Button>
        )
      }
    >
      <div>
        <Segmented label="Form" value={form} choices={forms} onChange={setForm} />
      </div>
      {form === 'manifest' ? (
        <>
          <p>
            This command prints the PostBatch manifests of the {plural(posts.length, 'post')} of this period, as they
            were requested. Later moves and edits are in the curl script.
          </p>
          {posts.length > 0 ? <Command text={readCommand(posts, account)} /> : <Note>This period has no posts.</Note>}
        </>
      ) : (
        <>
          <p>
            This script schedules the {plural(planned.length, 'post')} that are not published yet, each with its text
            and time.
          </p>
          {planned.length > 0 ? <Command text={text} /> : <Note>This period has no post that is still to come.</Note>}
        </>
      )}
    </Dialog>
  );
}
