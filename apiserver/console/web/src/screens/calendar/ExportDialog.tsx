// SPDX-License-Identifier: Apache-2.0

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';

import { manifestsQuery } from '../../api/manifests';
import { plural } from '../../lib/format';
import { save } from '../../lib/text';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Command } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Segmented } from '../../ui/Field';
import { boundsOf, type Range } from './reading';
import type { Post } from '../../api/schema.gen';
import { open, script } from './script';

const forms = [
  { value: 'manifest', label: 'Manifests' },
  { value: 'curl', label: 'curl script' },
] as const;

interface ExportDialogProps {
  /** The name of the period. */
  readonly title: string;
  readonly range: Range;
  readonly posts: readonly Post[];
  /** The number of posts of the period that the calendar did not read. */
  readonly hidden: number;
  readonly onClose: () => void;
}

/** ExportDialog offers the open posts of the shown period as manifests, or as a script of API requests. */
export function ExportDialog({ title, range, posts, hidden, onClose }: ExportDialogProps) {
  const { brand, zone } = useWorkspace();
  const [form, setForm] = useState<(typeof forms)[number]['value']>('manifest');
  const planned = open(posts);
  const manifests = useQuery({
    ...manifestsQuery(brand.id, boundsOf(range, zone)),
    enabled: form === 'manifest' && planned.length > 0,
  });
  const text = form === 'curl' ? script(planned, brand.id) : manifests.data;
  const file = `posts-${title.toLowerCase().replaceAll(' ', '-')}`;
  return (
    <Dialog
      title={`Export ${title}`}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button
            look="primary"
            icon="download"
            disabled={planned.length === 0 || !text}
            onClick={() => {
              if (form === 'curl') {
                save(`${file}.sh`, 'text/x-shellscript', text ?? '');
              } else {
                save(`${file}.yaml`, 'application/yaml', text ?? '');
              }
            }}
          >
            Download
          </Button>
        </>
      }
    >
      <div>
        <Segmented label="Form" value={form} choices={forms} onChange={setForm} />
      </div>
      {planned.length === 0 && (
        <Note>This period has no post that is still to come. Published posts are not exported.</Note>
      )}
      {planned.length > 0 && (
        <>
          <p>
            {form === 'curl'
              ? `This script schedules the ${plural(planned.length, 'post')} that are not published yet.`
              : `${plural(planned.length, 'post')} that are not published yet, with their current text and time.`}
          </p>
          {hidden > 0 && (
            <Note tone="warn">
              {form === 'curl'
                ? `The script leaves out ${plural(hidden, 'post')} that the calendar has not read. `
                : `The period has ${plural(hidden, 'more post')} that the calendar has not read. `}
              Export one week at a time, or filter by account.
            </Note>
          )}
          {form === 'manifest' && (
            <Note>
              The manifests have suspend: true, because the posts still exist. Cancel the posts before you set suspend
              to false. Otherwise both are published.
            </Note>
          )}
          {form === 'manifest' && manifests.error && (
            <ErrorNote error={manifests.error} onRetry={() => void manifests.refetch()} />
          )}
          {form === 'manifest' && manifests.isPending && <Loading lines={4} label="Reading the manifests" />}
          {text && <Command text={text} />}
        </>
      )}
    </Dialog>
  );
}
