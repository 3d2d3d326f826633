// SPDX-License-Identifier: Apache-2.0

import { useRef } from 'react';

import type { Capabilities } from '../../api/schema.gen';
import { Button } from '../../ui/Button';
import { Note } from '../../ui/Feedback';
import { SelectField, TextField } from '../../ui/Field';
import { AreaField } from '../../ui/MoreFields';
import { Panel } from '../../ui/Panel';
import css from './automations.module.css';
import type { Form } from './fields';

const maxContext = 5000;

interface Placeholder {
  readonly name: string;
  readonly label: string;
  /** Whether only items of feeds have it. */
  readonly feed?: true;
}

const placeholders: readonly Placeholder[] = [
  { name: 'item.title', label: 'Title' },
  { name: 'item.summary', label: 'Summary', feed: true },
  { name: 'item.link', label: 'Link', feed: true },
  { name: 'item.published', label: 'Date of the item', feed: true },
  { name: 'slot.date', label: 'Date of the post' },
  { name: 'slot.time', label: 'Time of the post' },
  { name: 'brand.name', label: 'Brand' },
  { name: 'run.number', label: 'Number of the run' },
];

/** TemplateFields describes the short that each run creates. */
export function TemplateFields({ offer, ...form }: Form & { readonly offer: Capabilities }) {
  const { draft, text } = form;
  if (draft.video) {
    return (
      <Panel title="Short">
        <Note>This automation creates videos. Change its template in its manifest.</Note>
      </Panel>
    );
  }
  const { min, max } = offer.slide_count;
  const inTexts = 'May contain placeholders. Empty: written from the item.';
  return (
    <Panel title="Short">
      <div className={css['form']}>
        <Context {...form} />
        <div className={css['two']}>
          <SelectField label="Style" {...text('style')}>
            <option value="">Automatic</option>
            {offer.design_styles.map((style) => (
              <option key={style.id} value={style.id}>
                {style.name}
              </option>
            ))}
          </SelectField>
          <SelectField label="Length" {...text('slides')}>
            <option value="0">Automatic</option>
            {Array.from({ length: max - min + 1 }, (_, i) => (
              <option key={i} value={i + min}>
                {i + min} slides
              </option>
            ))}
          </SelectField>
          <SelectField label="Format" {...text('ratio')}>
            <option value="">Default of the brand</option>
            {offer.aspect_ratios.map((ratio) => (
              <option key={ratio.value} value={ratio.value}>
                {ratio.value} ({ratio.width} × {ratio.height})
              </option>
            ))}
          </SelectField>
          <SelectField label="Images" {...text('world')}>
            <option value="">Chosen to fit the text</option>
            {offer.image_worlds.map((world) => (
              <option key={world.id} value={world.id}>
                {world.name}
              </option>
            ))}
          </SelectField>
          <SelectField label="Language" {...text('language')}>
            <option value="">Of the brand or the text</option>
            {languages(offer, draft.language).map((language) => (
              <option key={language.tag} value={language.tag}>
                {language.name}
              </option>
            ))}
          </SelectField>
        </div>
        <TextField label="Title" hint={inTexts} maxLength={200} {...text('title', 'template.title')} />
        <AreaField label="Caption" hint={inTexts} maxLength={5000} {...text('caption', 'template.caption')} />
      </div>
    </Panel>
  );
}

/** languages returns the languages that the service offers, and that of the form if it is another one. */
function languages(offer: Capabilities, current: string): readonly { readonly tag: string; readonly name: string }[] {
  const known = current === '' || offer.languages.some((language) => language.tag === current);
  return known ? offer.languages : [{ tag: current, name: current }, ...offer.languages];
}

function Context({ draft, change, text }: Form) {
  const field = useRef<HTMLTextAreaElement>(null);
  const offered = placeholders.filter((placeholder) => draft.type === 'feed' || !placeholder.feed);
  const insert = (name: string) => {
    const area = field.current;
    if (!area) {
      return;
    }
    // The text replaces the selection, and the cursor is after it.
    area.setRangeText(`{{${name}}}`, area.selectionStart, area.selectionEnd, 'end');
    change({ context: area.value });
    area.focus();
  };
  return (
    <>
      <AreaField
        ref={field}
        label="What is it about?"
        hint="The text from which the slides are written. Placeholders are replaced in each run."
        rows={4}
        required
        maxLength={maxContext}
        counter={{ used: draft.context.length, max: maxContext }}
        {...text('context', 'template.context')}
      />
      <div className={css['insert']} role="group" aria-label="Placeholders">
        <span>Insert:</span>
        {offered.map(({ name, label }) => (
          <Button
            key={name}
            small
            title={`{{${name}}}`}
            onClick={() => {
              insert(name);
            }}
          >
            {name === 'item.title' && draft.type === 'prompts' ? 'Prompt' : label}
          </Button>
        ))}
      </div>
    </>
  );
}
