// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';

import { editMedia, mediaChanged } from '../../api/packs';
import type { MediaItem } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { duration } from '../../lib/format';
import { bytes } from '../../lib/numbers';
import { steady } from '../../lib/urls';
import { useWorkspace } from '../../shell/workspace';
import { Button, Outside } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote, Note } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { toast } from '../../ui/messages';
import { AreaField } from '../../ui/MoreFields';
import { Fact, Facts } from '../../ui/Panel';
import { Picture } from '../../ui/Picture';
import { DeleteMedia } from './DeleteMedia';
import css from './media.module.css';

const purposes: Readonly<Record<MediaItem['media_type'], string>> = {
  user_upload: 'Upload',
  product_demo: 'Product clip',
  avatar_video: 'Avatar',
  stock_image: 'Stock image',
  stock_video: 'Stock clip',
  pack_image: 'Image of a pack',
  ai_image: 'AI image',
};

interface DetailProps {
  readonly item: MediaItem;
  readonly onClose: () => void;
}

type Step = '' | 'edit' | 'delete';

/** Detail shows one item, and renames or deletes it if it is the brand's own. */
export function Detail({ item, onClose }: DetailProps) {
  const { brand, can } = useWorkspace();
  const [step, setStep] = useState<Step>('');
  const back = () => {
    setStep('');
  };
  if (step === 'edit') {
    return <EditMedia item={item} onClose={back} />;
  }
  if (step === 'delete') {
    return <DeleteMedia items={[item]} onClose={back} onDeleted={onClose} />;
  }
  const own = can('media:write') && item.source !== 'stock';
  return (
    <Dialog
      title={item.title ?? `Item ${String(item.id)}`}
      wide
      onClose={onClose}
      footer={
        <>
          <CopyCurl command={curl('GET', `/media/${String(item.id)}`, brand.id)} />
          {own && (
            <>
              <Button
                look="danger"
                icon="trash"
                onClick={() => {
                  setStep('delete');
                }}
              >
                Delete
              </Button>
              <Button
                icon="edit"
                onClick={() => {
                  setStep('edit');
                }}
              >
                Rename
              </Button>
            </>
          )}
          {item.url && (
            <Outside href={item.url} download icon="download">
              Download
            </Outside>
          )}
        </>
      }
    >
      {item.error && <Note tone="bad">{item.error.message}</Note>}
      <div className={css['detail']}>
        {item.kind === 'video' && item.url ? (
          <video className={css['player']} src={steady(item.url)} controls playsInline preload="metadata" />
        ) : (
          <Picture
            url={item.url ?? item.thumbnail_url}
            alt={item.description ?? item.title ?? ''}
            fallback="media"
            ratio={item.width && item.height ? `${String(item.width)} / ${String(item.height)}` : '4 / 5'}
          />
        )}
        <Facts>
          <Fact name="Purpose">{purposes[item.media_type]}</Fact>
          {item.description && <Fact name="Content">{item.description}</Fact>}
          {item.width && item.height && (
            <Fact name="Size">
              {item.width} × {item.height}
            </Fact>
          )}
          {item.duration_seconds !== null && <Fact name="Length">{duration(item.duration_seconds)}</Fact>}
          <Fact name="File">
            {item.content_type}, {bytes(item.byte_size)}
          </Fact>
          {item.tags.length > 0 && <Fact name="Tags">{item.tags.join(', ')}</Fact>}
          {item.attribution && (
            <Fact name="Source">
              {[item.attribution.author, item.attribution.provider, item.attribution.license]
                .filter(Boolean)
                .join(', ')}
            </Fact>
          )}
          <Fact name="Id">{item.id}</Fact>
        </Facts>
      </div>
    </Dialog>
  );
}

function EditMedia({ item, onClose }: DetailProps) {
  const { brand } = useWorkspace();
  const client = useQueryClient();
  const form = useId();
  const [title, setTitle] = useState(item.title ?? '');
  const [description, setDescription] = useState(item.description ?? '');
  const [tags, setTags] = useState(item.tags.join(', '));
  const words = tags.split(',').map((tag) => tag.trim()).filter(Boolean);
  const body = {
    ...(title.trim() === (item.title ?? '') ? {} : { title: title.trim() || null }),
    ...(description.trim() === (item.description ?? '') ? {} : { description: description.trim() || null }),
    ...(words.join(', ') === item.tags.join(', ') ? {} : { tags: words }),
  };
  const save = useMutation({
    mutationFn: () => editMedia(item.id, body),
    onSuccess: async () => {
      await mediaChanged(client);
      toast('The changes are saved');
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      title="Rename"
      onClose={onClose}
      footer={
        <>
          <CopyCurl command={curl('PATCH', `/media/${String(item.id)}`, brand.id, { body })} />
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            type="submit"
            form={form}
            busy={save.isPending}
            disabled={Object.keys(body).length === 0}
          >
            Save
          </Button>
        </>
      }
    >
      <form id={form} className={css['form']} onSubmit={submit}>
        <TextField
          label="Title"
          maxLength={200}
          value={title}
          onChange={(event) => {
            setTitle(event.target.value);
          }}
        />
        <AreaField
          label="Description"
          hint="Used to find the item, and to choose it for slides."
          value={description}
          onChange={(event) => {
            setDescription(event.target.value);
          }}
        />
        <TextField
          label="Tags"
          hint="Separated by commas."
          value={tags}
          onChange={(event) => {
            setTags(event.target.value);
          }}
        />
        {save.error && <ErrorNote error={save.error} />}
      </form>
    </Dialog>
  );
}
