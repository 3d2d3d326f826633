// SPDX-License-Identifier: Apache-2.0

import { useId, type FormEvent, type ReactNode } from 'react';

import type { useBrandEdit } from '../../api/brand';
import type { UpdateBrand } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { Button } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote } from '../../ui/Feedback';
import css from './settings.module.css';

interface BrandDialogProps {
  readonly title: string;
  readonly brand: number;
  /** The changed members. */
  readonly body: UpdateBrand;
  readonly unchanged: boolean;
  readonly edit: ReturnType<typeof useBrandEdit>;
  readonly onClose: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** BrandDialog is a form that changes the brand. */
export function BrandDialog({ title, brand, body, unchanged, edit, onClose, children }: BrandDialogProps) {
  const form = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.mutate(body);
  };
  return (
    <Dialog
      title={title}
      wide
      onClose={onClose}
      footer={
        <>
          <CopyCurl command={curl('PATCH', '/brand', brand, { body })} />
          <Button onClick={onClose}>Back</Button>
          <Button look="primary" type="submit" form={form} busy={edit.isPending} disabled={unchanged}>
            Save
          </Button>
        </>
      }
    >
      <form id={form} className={css['form']} onSubmit={submit}>
        {edit.error && <ErrorNote error={edit.error} />}
        {children}
      </form>
    </Dialog>
  );
}
