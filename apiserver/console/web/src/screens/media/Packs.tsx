// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';

import { createPack, deletePack, editPack, mediaChanged, packQuery, packsQuery } from '../../api/packs';
import type { MediaItem, Pack } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { plural } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { BulkDialog } from '../../ui/BulkDialog';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { Badge, Empty, ErrorNote, Loading } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { toast } from '../../ui/messages';
import { AreaField } from '../../ui/MoreFields';
import { Pager } from '../../ui/Pager';
import { Picture } from '../../ui/Picture';
import { Needed } from '../deletion/Needed';
import { AddImages } from './AddImages';
import { Card } from './Card';
import css from './media.module.css';

/** Packs lists the media packs, and shows and changes one of them. */
export function Packs({ onItem }: { readonly onItem: (item: MediaItem) => void }) {
  const { brand, can } = useWorkspace();
  const packs = useQuery(packsQuery(brand.id));
  const [open, setOpen] = useState<number | null>(null);
  const [creating, setCreating] = useState(false);
  const shown = packs.data?.find((pack) => pack.id === open);
  if (shown) {
    return (
      <PackView
        pack={shown}
        onItem={onItem}
        onClose={() => {
          setOpen(null);
        }}
      />
    );
  }
  const create = can('media:write') && (
    <Button
      icon="add"
      onClick={() => {
        setCreating(true);
      }}
    >
      Create pack
    </Button>
  );
  return (
    <>
      {packs.error && <ErrorNote error={packs.error} onRetry={() => void packs.refetch()} />}
      {packs.isPending && <Loading lines={4} label="Loading packs" />}
      {packs.data?.length === 0 && (
        <Empty icon="media" title="No packs yet" action={create}>
          <p>A media pack is a set of images in one look. It can supply all backgrounds of a slideshow.</p>
        </Empty>
      )}
      {packs.data && packs.data.length > 0 && (
        <>
          <div className={css['row']}>
            {create}
            <CopyCurl command={curl('GET', '/media_packs', brand.id)} />
          </div>
          <ul className={css['packs']} aria-label="Packs">
            {packs.data.map((pack) => (
              <li key={pack.id}>
                <button
                  type="button"
                  className={css['pack']}
                  onClick={() => {
                    setOpen(pack.id);
                  }}
                >
                  <span className={css['mosaic']}>
                    {Array.from({ length: 4 }, (_, i) => (
                      <Picture key={i} url={pack.preview_image_urls[i]} alt="" fallback="media" ratio="1 / 1" />
                    ))}
                  </span>
                  <span className={css['packName']} dir="auto">
                    {pack.name}
                  </span>
                  <span className={css['muted']}>{plural(pack.image_count, 'image')}</span>
                  {pack.is_global && (
                    <span>
                      <Badge tone="neutral">Shared</Badge>
                    </span>
                  )}
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {creating && (
        <PackForm
          onClose={() => {
            setCreating(false);
          }}
          onSaved={(pack) => {
            setCreating(false);
            setOpen(pack.id);
          }}
        />
      )}
    </>
  );
}

interface PackFormProps {
  readonly pack?: Pack;
  readonly onClose: () => void;
  readonly onSaved: (pack: Pack) => void;
}

/** PackForm creates a pack, or changes its name and description. */
function PackForm({ pack, onClose, onSaved }: PackFormProps) {
  const { brand } = useWorkspace();
  const client = useQueryClient();
  const form = useId();
  const [name, setName] = useState(pack?.name ?? '');
  const [description, setDescription] = useState(pack?.description ?? '');
  const body = { name: name.trim(), description: description.trim() || null };
  const save = useMutation({
    mutationFn: () => (pack ? editPack(pack.id, body) : createPack(body)),
    onSuccess: async (saved) => {
      await mediaChanged(client);
      toast(pack ? 'The pack is changed' : 'The pack is created');
      onSaved(saved);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const command = pack
    ? curl('PATCH', `/media_packs/${String(pack.id)}`, brand.id, { body })
    : curl('POST', '/media_packs', brand.id, { body });
  return (
    <Dialog
      title={pack ? 'Rename the pack' : 'Create a pack'}
      onClose={onClose}
      footer={
        <>
          <CopyCurl command={command} />
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" form={form} busy={save.isPending} disabled={body.name === ''}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} className={css['form']} onSubmit={submit}>
        <TextField
          label="Name"
          required
          maxLength={200}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        <AreaField
          label="Description (optional)"
          value={description}
          onChange={(event) => {
            setDescription(event.target.value);
          }}
        />
        {save.error && <ErrorNote error={save.error} />}
      </form>
    </Dialog>
  );
}

interface PackViewProps {
  readonly pack: Pack;
  readonly onItem: (item: MediaItem) => void;
  readonly onClose: () => void;
}

type Step = '' | 'rename' | 'add' | 'delete';

function PackView({ pack, onItem, onClose }: PackViewProps) {
  const { brand, can } = useWorkspace();
  const client = useQueryClient();
  const [page, setPage] = useState(1);
  const [step, setStep] = useState<Step>('');
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set());
  const media = useQuery(packQuery(pack.id, page));
  const writes = can('media:write') && !pack.is_global;
  const list = media.data?.data.media;
  const selected = list?.filter((item) => chosen.has(item.id)) ?? [];
  const remove = useMutation({
    mutationFn: () => editPack(pack.id, { remove_media_ids: selected.map((item) => item.id) }),
    onSuccess: async () => {
      toast(`${plural(selected.length, 'image')} removed from the pack`);
      setChosen(new Set());
      await mediaChanged(client);
    },
  });
  const close = () => {
    setStep('');
  };
  return (
    <section aria-label={`Pack ${pack.name}`}>
      <header className={css['packHead']}>
        <Button small icon="back" onClick={onClose}>
          All packs
        </Button>
        <h2 dir="auto">{pack.name}</h2>
        {pack.is_global && <Badge tone="neutral">Shared by all accounts</Badge>}
        <CopyCurl command={curl('GET', `/media_packs/${String(pack.id)}`, brand.id)} />
        {writes && (
          <div className={css['row']}>
            <Button
              small
              icon="add"
              onClick={() => {
                setStep('add');
              }}
            >
              Add images
            </Button>
            <Button
              small
              disabled={selected.length === 0}
              busy={remove.isPending}
              onClick={() => {
                remove.mutate();
              }}
            >
              Remove {selected.length > 0 && selected.length} from pack
            </Button>
            <Button
              small
              icon="edit"
              onClick={() => {
                setStep('rename');
              }}
            >
              Rename
            </Button>
            <Button
              small
              look="danger"
              icon="trash"
              onClick={() => {
                setStep('delete');
              }}
            >
              Delete pack
            </Button>
          </div>
        )}
      </header>
      {pack.description && (
        <p className={css['about']} dir="auto">
          {pack.description}
        </p>
      )}
      {remove.error && <ErrorNote error={remove.error} />}
      {media.error && <ErrorNote error={media.error} onRetry={() => void media.refetch()} />}
      {media.isPending && <Loading lines={4} label="Loading the images" />}
      {list?.length === 0 && (
        <Empty icon="media" title="This pack is empty">
          <p>Add images of your own media. An image is in one pack at most.</p>
        </Empty>
      )}
      {list && list.length > 0 && (
        <ul className={css['grid']} aria-label="Images of the pack">
          {list.map((item) => (
            <Card
              key={item.id}
              item={item}
              chosen={writes ? chosen.has(item.id) : undefined}
              onChoose={(on) => {
                setChosen((before) => toggled(before, item.id, on));
              }}
              onOpen={() => {
                onItem(item);
              }}
            />
          ))}
        </ul>
      )}
      <Pager at={media.data?.meta.pagination} noun="image" onPage={setPage} />
      {step === 'rename' && <PackForm pack={pack} onClose={close} onSaved={close} />}
      {step === 'add' && <AddImages pack={pack} onClose={close} />}
      {step === 'delete' && (
        <BulkDialog
          title="Delete this pack"
          action="Delete pack"
          noun="pack"
          items={[pack]}
          run={(item) => deletePack(item.id)}
          onDone={async (count) => {
            if (count > 0) {
              toast('The pack is deleted');
              onClose();
            }
            await mediaChanged(client);
          }}
          onClose={close}
          failure={(item, error) => <Needed name={item.name} error={error} />}
        >
          <p dir="auto">{pack.name}</p>
          <p>Its images stay in your media. A pack that a short is being created with is not deleted.</p>
        </BulkDialog>
      )}
    </section>
  );
}

/** toggled returns the set with or without the id. */
function toggled(before: ReadonlySet<number>, id: number, on: boolean): ReadonlySet<number> {
  const next = new Set(before);
  if (on) {
    next.add(id);
  } else {
    next.delete(id);
  }
  return next;
}
