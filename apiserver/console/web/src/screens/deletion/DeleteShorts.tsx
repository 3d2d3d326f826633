// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { answer, api } from '../../api/client';
import type { ShortSummary } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { BulkDialog } from '../../ui/BulkDialog';
import { CopyCurl } from '../../ui/Copy';
import { toast } from '../../ui/messages';
import { Needed } from './Needed';

type Short = Pick<ShortSummary, 'id' | 'title'>;

interface DeleteShortsProps {
  readonly shorts: readonly Short[];
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}

/** DeleteShorts deletes shorts after a confirmation. Those that open posts need stay, and are listed with the posts. */
export default function DeleteShorts({ shorts: given, onDeleted, onClose }: DeleteShortsProps) {
  const { brand } = useWorkspace();
  const client = useQueryClient();
  // The list behind the dialog loses the shorts that are deleted.
  const [shorts] = useState(given);
  const [first] = shorts;
  const what = shorts.length === 1 ? 'this short' : plural(shorts.length, 'short');
  return (
    <BulkDialog
      title={`Delete ${what}`}
      action="Delete"
      noun="short"
      items={shorts}
      run={async (short) => {
        await answer(api.DELETE('/api/v1/shorts/{id}', { params: { path: { id: short.id } } }));
        client.removeQueries({ queryKey: ['short', short.id] });
      }}
      onDone={async (count) => {
        if (count > 0) {
          toast(`${plural(count, 'short')} deleted`);
        }
        await client.invalidateQueries({ queryKey: ['shorts'] });
        if (count === shorts.length) {
          onDeleted();
        }
      }}
      onClose={onClose}
      failure={(short, error) => <Needed name={nameOf(short)} error={error} />}
    >
      {shorts.length === 1 && first && <p dir="auto">{nameOf(first)}</p>}
      <p>The video, the slides and the texts are deleted. Published posts stay on the platforms.</p>
      <p>A short that a waiting or scheduled post needs is not deleted. This cannot be undone.</p>
      {first && (
        <div>
          <CopyCurl command={curl('DELETE', `/shorts/${String(first.id)}`, brand.id)} />
        </div>
      )}
    </BulkDialog>
  );
}

function nameOf(short: Short): string {
  return short.title ?? `Short ${String(short.id)}`;
}
