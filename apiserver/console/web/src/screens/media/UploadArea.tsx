// SPDX-License-Identifier: Apache-2.0

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState, useSyncExternalStore, type DragEvent } from 'react';

import { capabilitiesQuery } from '../../api/queries';
import type { MediaLimits } from '../../api/schema.gen';
import { bytes } from '../../lib/numbers';
import { useWorkspace } from '../../shell/workspace';
import { Button, IconButton } from '../../ui/Button';
import { classes } from '../../ui/classes';
import { Meter } from '../../ui/Meter';
import { SelectField } from '../../ui/Field';
import { Icon } from '../../ui/Icon';
import css from './media.module.css';
import { add, current, remove, repeat, subscribe, type Purpose } from './transfers';

/** UploadArea takes files by drag and drop or by a dialog, and shows the progress of each. */
export function UploadArea() {
  const { brand, brands } = useWorkspace();
  const client = useQueryClient();
  const limits = useQuery(capabilitiesQuery).data?.media;
  const [purpose, setPurpose] = useState<Purpose>('user_upload');
  const transfers = useSyncExternalStore(subscribe, current);
  const [over, setOver] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  const hint = useId();
  const take = (files: readonly File[]) => {
    for (const file of files) {
      add(client, brand.id, file, purpose, limits ? problemOf(file, purpose, limits) : '');
    }
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    take([...event.dataTransfer.files]);
  };
  return (
    <section aria-label="Upload">
      <div
        className={classes(css['drop'], over && css['over'])}
        role="presentation"
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => {
          setOver(false);
        }}
        onDrop={drop}
      >
        <Icon name="upload" />
        <p>
          Drop files here, or{' '}
          <Button
            small
            aria-describedby={hint}
            onClick={() => {
              input.current?.click();
            }}
          >
            Choose files
          </Button>
        </p>
        <p id={hint} className={css['muted']}>
          {limits
            ? `Images up to ${bytes(limits.image_max_bytes)}, clips up to ${bytes(limits.video_max_bytes)}.`
            : 'Images and clips.'}
        </p>
        <div className={css['purpose']}>
          <SelectField
            label="Purpose"
            value={purpose}
            onChange={(event) => {
              setPurpose(event.target.value as Purpose);
            }}
          >
            <option value="user_upload">Images and clips for slides</option>
            <option value="product_demo">Product clips</option>
            <option value="avatar_video">Avatar: a person who speaks</option>
          </SelectField>
        </div>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          {...(limits ? { accept: limits.content_types.join(',') } : {})}
          onChange={(event) => {
            take([...(event.target.files ?? [])]);
            event.target.value = '';
          }}
        />
      </div>
      {transfers.length > 0 && (
        <ul className={css['transfers']} aria-label="Uploads" aria-live="polite">
          {transfers.map((transfer) => (
            <li key={transfer.id} className={css['transfer']}>
              <span className={css['file']}>
                <bdi>{transfer.file.name}</bdi>
                {transfer.brand !== brand.id && (
                  <bdi className={css['muted']}>{brands.find((b) => b.id === transfer.brand)?.name}</bdi>
                )}
                <span className={transfer.state === 'failed' ? css['bad'] : css['muted']}>
                  {transfer.state === 'done' && 'Uploaded'}
                  {transfer.state === 'failed' && transfer.problem}
                  {transfer.state === 'running' &&
                    (transfer.share < 1 ? `${String(Math.round(transfer.share * 100))} %` : 'Confirming')}
                </span>
              </span>
              {transfer.state === 'failed' && !(limits && problemOf(transfer.file, transfer.purpose, limits)) && (
                <Button
                  small
                  icon="refresh"
                  onClick={() => {
                    repeat(client, transfer);
                  }}
                >
                  Try again
                </Button>
              )}
              <IconButton
                icon="close"
                label={transfer.state === 'running' ? `Cancel ${transfer.file.name}` : `Remove ${transfer.file.name}`}
                onClick={() => {
                  remove(transfer);
                }}
              />
              {transfer.state === 'running' && (
                <div className={css['bar']}>
                  <Meter value={transfer.share} label={`Upload of ${transfer.file.name}`} tone="info" />
                </div>
              )}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** problemOf returns why the service would reject the file, or an empty string. */
function problemOf(file: File, purpose: Purpose, limits: MediaLimits): string {
  if (!limits.content_types.includes(file.type)) {
    return 'This file type is not accepted.';
  }
  const video = file.type.startsWith('video/');
  if (purpose === 'avatar_video' && !video) {
    return 'An avatar has to be a clip.';
  }
  const max = video ? limits.video_max_bytes : limits.image_max_bytes;
  return file.size > max ? `The file is larger than ${bytes(max)}.` : '';
}
