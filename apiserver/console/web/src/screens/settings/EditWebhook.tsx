// SPDX-License-Identifier: Apache-2.0

import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';

import { idempotency } from '../../api/idempotency';
import type { CreateWebhook, Webhook } from '../../api/schema.gen';
import { createWebhook, updateWebhook } from '../../api/webhooks';
import { curl } from '../../lib/curl';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { CheckField } from '../../ui/MoreFields';
import { toast } from '../../ui/messages';
import css from './settings.module.css';
import { eventNames, eventTypes } from './webhooks';

interface EditWebhookProps {
  /** The webhook that is changed. Without it, a new one is created. */
  readonly of?: Webhook;
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
}

/** EditWebhook asks for the URL and the events of a webhook. */
export function EditWebhook({ of, onClose, onSecret }: EditWebhookProps) {
  const { brand } = useWorkspace();
  const form = useId();
  const [url, setURL] = useState(of?.url ?? '');
  const [chosen, setChosen] = useState<readonly string[]>(of?.events ?? []);
  const [once] = useState(idempotency);
  const body: CreateWebhook = {
    url: url.trim(),
    events: eventTypes.filter((event) => chosen.includes(event)),
  };
  const save = useMutation({
    mutationFn: async () => {
      if (of) {
        await updateWebhook(of.id, body);
        return null;
      }
      return (await once(body, (key) => createWebhook(body, key))).secret;
    },
    onSuccess: (secret) => {
      onClose();
      if (secret) {
        onSecret(secret);
      } else {
        toast(of ? 'The webhook is saved' : 'The webhook was created before: rotate its secret to get one');
      }
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog
      title={of ? 'Edit the webhook' : 'Add a webhook'}
      onClose={onClose}
      footer={
        <>
          <CopyCurl
            command={curl(of ? 'PATCH' : 'POST', of ? `/webhooks/${String(of.id)}` : '/webhooks', brand.id, { body })}
          />
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" form={form} busy={save.isPending} disabled={body.url === ''}>
            {of ? 'Save' : 'Add webhook'}
          </Button>
        </>
      }
    >
      <form id={form} className={css['form']} onSubmit={submit}>
        {save.error && <ErrorNote error={save.error} />}
        <TextField
          label="URL"
          hint="HTTPS, without redirects. Each request is signed by the rules of Standard Webhooks."
          type="url"
          required
          maxLength={2048}
          value={url}
          onChange={(event) => {
            setURL(event.target.value);
          }}
        />
        <fieldset className={css['scopes']}>
          <legend>Events</legend>
          <p className={css['muted']}>Without a choice, all events are sent.</p>
          {eventTypes.map((type) => (
            <CheckField
              key={type}
              label={eventNames[type]}
              hint={type}
              checked={chosen.includes(type)}
              onChange={(event) => {
                const { checked } = event.target;
                setChosen((before) => (checked ? [...before, type] : before.filter((e) => e !== type)));
              }}
            />
          ))}
        </fieldset>
      </form>
    </Dialog>
  );
}
