// SPDX-License-Identifier: Apache-2.0

import { useMutation } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';

import { createKey } from '../../api/keys';
import type { Scope } from '../../api/session';
import { useWorkspace } from '../../shell/workspace';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { BrandField, inDays, NumberField } from './GrantFields';
import { allScopes, ScopeFields } from './ScopeFields';
import css from './settings.module.css';

const readScopes: readonly Scope[] = ['brand:read', 'media:read', 'posts:read', 'analytics:read'];

interface CreateKeyProps {
  readonly onClose: () => void;
  readonly onCreated: (secret: string) => void;
}

/** CreateKey asks for the name, the brand, the scopes and the expiry of a new key. */
export function CreateKey({ onClose, onCreated }: CreateKeyProps) {
  const { brand, can } = useWorkspace();
  const form = useId();
  const [name, setName] = useState('');
  const [brandId, setBrandId] = useState(brand.id);
  const [chosen, setChosen] = useState<readonly Scope[]>(() => readScopes.filter(can));
  const [days, setDays] = useState(90);
  const create = useMutation({
    mutationFn: () =>
      createKey({
        display_name: name.trim(),
        scopes: chosen,
        brand_id: brandId,
        expires_at: days === 0 ? null : inDays(days),
      }),
    onSuccess: (key) => {
      onCreated(key.secret);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <Dialog
      title="Create an API key"
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            type="submit"
            form={form}
            busy={create.isPending}
            disabled={name.trim() === '' || chosen.length === 0}
          >
            Create key
          </Button>
        </>
      }
    >
      <form id={form} className={css['form']} onSubmit={submit}>
        <TextField
          label="Name"
          hint="What will use the key."
          required
          maxLength={100}
          value={name}
          onChange={(event) => {
            setName(event.target.value);
          }}
        />
        <BrandField value={brandId} onChange={setBrandId} />
        <ScopeFields of={allScopes} chosen={chosen} onChange={setChosen} />
        <NumberField label="Expires" value={days} onChange={setDays}>
          <option value={30}>In 30 days</option>
          <option value={90}>In 90 days</option>
          <option value={365}>In a year</option>
          <option value={0}>Never</option>
        </NumberField>
        {create.error && <ErrorNote error={create.error} />}
      </form>
    </Dialog>
  );
}
