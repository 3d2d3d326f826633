// SPDX-License-Identifier: Apache-2.0

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';

import { editPost, postChanged } from '../../api/posts';
import { capabilitiesQuery } from '../../api/queries';
import type { EditPost, Post } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { plural } from '../../lib/format';
import { lengthOf, unitName } from '../../lib/text';
import { fromInput, inputValue, utc } from '../../lib/time';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote, Note } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { toast } from '../../ui/messages';
import { AreaField } from '../../ui/MoreFields';
import css from './post.module.css';

interface EditDialogProps {
  readonly post: Post;
  readonly onClose: () => void;
}

/** EditDialog changes the text and the time of a post that is not published yet. It sends only what changed. */
export function EditDialog({ post, onClose }: EditDialogProps) {
  const { brand, zone } = useWorkspace();
  const client = useQueryClient();
  const form = useId();
  const offer = useQuery(capabilitiesQuery).data;
  const rule = offer?.platform_rules[post.platform];
  const photos = post.media_kind === 'photo_set';
  const before = post.scheduled_at ? inputValue(new Date(post.scheduled_at), zone) : '';
  const [title, setTitle] = useState(post.title ?? '');
  const [caption, setCaption] = useState(post.caption ?? '');
  const [at, setAt] = useState(before);
  const moved = at !== before ? fromInput(at, zone) : null;
  const body: EditPost = {
    ...(title === (post.title ?? '') ? {} : { title }),
    ...(caption === (post.caption ?? '') ? {} : { caption }),
    ...(moved ? { scheduled_at: utc(moved) } : {}),
  };
  const changed = Object.keys(body).length > 0;
  const save = useMutation({
    mutationFn: () => editPost(post.id, body),
    onSuccess: async () => {
      await postChanged(client, post);
      toast('The post is changed');
      onClose();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  const titled = rule && rule.title_max > 0 && (post.platform !== 'tiktok' || photos);
  const captionMax = rule && photos && rule.photo_caption_max > 0 ? rule.photo_caption_max : rule?.caption_max;
  const texts = body.title !== undefined || body.caption !== undefined;
  return (
    <Dialog
      title="Edit the post"
      onClose={onClose}
      footer={
        <>
          <CopyCurl command={curl('PATCH', `/posts/${String(post.id)}`, brand.id, { body })} />
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" form={form} busy={save.isPending} disabled={!changed || at === ''}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} className={css['form']} onSubmit={submit}>
        {titled && (
          <TextField
            label={`Title, at most ${String(rule.title_max)} ${unitName(rule.title_unit)}`}
            value={title}
            {...(lengthOf(title, rule.title_unit) > rule.title_max
              ? { problem: `${String(lengthOf(title, rule.title_unit) - rule.title_max)} too long` }
              : {})}
            onChange={(event) => {
              setTitle(event.target.value);
            }}
          />
        )}
        <AreaField
          label="Caption"
          rows={6}
          value={caption}
          {...(rule && captionMax !== undefined
            ? {
                counter: {
                  used: lengthOf(caption, rule.caption_unit),
                  max: captionMax,
                  unit: unitName(rule.caption_unit),
                },
              }
            : {})}
          onChange={(event) => {
            setCaption(event.target.value);
          }}
        />
        {post.scheduled_at && (
          <TextField
            label="Date and time"
            hint={`${zone}.${
              offer ? ` At least ${plural(Math.ceil(offer.scheduling.min_lead_seconds / 60), 'minute')} ahead.` : ''
            }`}
            type="datetime-local"
            required
            value={at}
            onChange={(event) => {
              setAt(event.target.value);
            }}
          />
        )}
        {texts && post.approval.required && (
          <Note tone="warn">The post needs approval again after its text changed.</Note>
        )}
        {save.error && <ErrorNote error={save.error} />}
      </form>
    </Dialog>
  );
}
