// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { editPack, mediaChanged } from '../../api/packs';
import { mediaQuery } from '../../api/queries';
import type { Pack } from '../../api/schema.gen';
import { plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { Empty, ErrorNote, Loading } from '../../ui/Feedback';
import { toast } from '../../ui/messages';
import { Pager } from '../../ui/Pager';
import { Card } from './Card';
import css from './media.module.css';

// The API takes this many images in one request.
const most = 50;

interface AddImagesProps {
  readonly pack: Pack;
  readonly onClose: () => void;
}

/** AddImages chooses images of the brand's own media for a pack. */
export function AddImages({ pack, onClose }: AddImagesProps) {
  const { brand } = useWorkspace();
  const client = useQueryClient();
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<readonly number[]>([]);
  const media = useQuery(mediaQuery(brand.id, { source: 'own' }, page));
  const images = media.data?.data.filter((item) => item.kind === 'image' && item.media_pack_id !== pack.id);
  const add = useMutation({
    mutationFn: () => editPack(pack.id, { add_media_ids: [...chosen] }),
    onSuccess: async () => {
      toast(`${plural(chosen.length, 'image')} added to the pack`);
      await mediaChanged(client);
      onClose();
    },
  });
  return (
    <Dialog
      title={`Add images to ${pack.name}`}
      wide
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            busy={add.isPending}
            disabled={chosen.length === 0 || chosen.length > most}
            onClick={() => {
              add.mutate();
            }}
          >
            Add {chosen.length > 0 && plural(chosen.length, 'image')}
          </Button>
        </>
      }
    >
      <p className={css['muted']}>An image that is in another pack moves to this one. At most {most} at once.</p>
      {add.error && <ErrorNote error={add.error} />}
      {media.error && <ErrorNote error={media.error} onRetry={() => void media.refetch()} />}
      {media.isPending && <Loading lines={4} label="Loading media" />}
      {images?.length === 0 && (
        <Empty icon="upload" title="No images here">
          <p>Upload images in the tab Own first.</p>
        </Empty>
      )}
      {images && images.length > 0 && (
        <ul className={css['grid']} aria-label="Images">
          {images.map((item) => {
            const toggle = (on: boolean) => {
              setChosen((before) => (on ? [...before, item.id] : before.filter((id) => id !== item.id)));
            };
            return (
              <Card
                key={item.id}
                item={item}
                chosen={chosen.includes(item.id)}
                onChoose={toggle}
                onOpen={() => {
                  toggle(!chosen.includes(item.id));
                }}
              />
            );
          })}
        </ul>
      )}
      <Pager at={media.data?.meta.pagination} noun="item" onPage={setPage} />
    </Dialog>
  );
}
