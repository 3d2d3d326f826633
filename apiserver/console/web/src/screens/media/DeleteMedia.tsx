// SPDX-License-Identifier: Apache-2.0

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { deleteMedia, mediaChanged } from '../../api/packs';
import type { MediaItem } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { BulkDialog } from '../../ui/BulkDialog';
import { CopyCurl } from '../../ui/Copy';
import { toast } from '../../ui/messages';
import { Needed } from '../deletion/Needed';
import { mediaName } from './Card';

interface DeleteMediaProps {
  readonly items: readonly MediaItem[];
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** DeleteMedia deletes items after a confirmation. Items in use stay, and are listed with what needs them. */
export function DeleteMedia({ items: given, onClose, onDeleted }: DeleteMediaProps) {
  const { brand } = useWorkspace();
  const client = useQueryClient();
  // The list behind the dialog loses the items that are deleted.
  const [items] = useState(given);
  const [first] = items;
  return (
    <BulkDialog
      title={`Delete ${items.length === 1 ? 'this item' : plural(items.length, 'item')}`}
      action="Delete"
      noun="item"
      items={items}
      run={(item) => deleteMedia(item.id)}
      onDone={async (count) => {
        if (count > 0) {
          toast(`${plural(count, 'item')} deleted`);
        }
        await mediaChanged(client);
        if (count === items.length) {
          onDeleted();
        }
      }}
      onClose={onClose}
      failure={(item, error) => <Needed name={mediaName(item)} error={error} />}
    >
      {items.length === 1 && first && <p dir="auto">{mediaName(first)}</p>}
      <p>The file is deleted, and the item leaves its pack. Finished shorts keep their videos and slides.</p>
      <p>An item that an unfinished short or an open post needs is not deleted. This cannot be undone.</p>
      {first && (
        <div>
          <CopyCurl command={curl('DELETE', `/media/${String(first.id)}`, brand.id)} />
        </div>
      )}
    </BulkDialog>
  );
}
