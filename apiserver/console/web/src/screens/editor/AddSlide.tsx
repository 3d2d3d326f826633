// SPDX-License-Identifier: Apache-2.0

import { useState } from 'react';

import type { AddSlide } from '../../api/schema.gen';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote } from '../../ui/Feedback';
import { TextField } from '../../ui/Field';
import { AreaField } from '../../ui/MoreFields';
import css from './editor.module.css';

interface AddSlideProps {
  readonly busy: boolean;
  readonly error: unknown;
  readonly onAdd: (slide: AddSlide) => void;
  readonly onClose: () => void;
}

/** AddSlideDialog asks for the text of a new slide. */
export function AddSlideDialog({ busy, error, onAdd, onClose }: AddSlideProps) {
  const [heading, setHeading] = useState('');
  const [body, setBody] = useState('');
  const texts = { heading: heading.trim(), body: body.trim() };
  return (
    <Dialog title="Add a slide" onClose={onClose}>
      <form
        className={css['stack']}
        onSubmit={(event) => {
          event.preventDefault();
          onAdd({ heading: texts.heading, ...(texts.body ? { body: texts.body } : {}) });
        }}
      >
        {error !== null && <ErrorNote error={error} />}
        <TextField
          label="Heading"
          required
          maxLength={500}
          value={heading}
          onChange={(event) => {
            setHeading(event.target.value);
          }}
        />
        <AreaField
          label="Text"
          maxLength={500}
          value={body}
          onChange={(event) => {
            setBody(event.target.value);
          }}
        />
        <p className={css['muted']}>
          The slide is added after the chosen one, with an image that matches its text. It is stored at once.
        </p>
        <div>
          <Button type="submit" look="primary" busy={busy} disabled={texts.heading === ''}>
            Add slide
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
