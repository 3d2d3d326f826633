// SPDX-License-Identifier: Apache-2.0

import type { Capabilities, Overlay } from '../../api/schema.gen';
import { lengthOf } from '../../lib/text';
import { Button } from '../../ui/Button';
import { classes } from '../../ui/classes';
import { Segmented, SelectField } from '../../ui/Field';
import { AreaField, CheckField } from '../../ui/MoreFields';
import { Panel } from '../../ui/Panel';
import type { Block, OverlaySet } from './draft';
import css from './editor.module.css';
import { ColorField, NumberField } from './Inputs';

const aligns: readonly { readonly value: Overlay['align']; readonly label: string }[] = [
  { value: 'left', label: 'Left' },
  { value: 'center', label: 'Center' },
  { value: 'right', label: 'Right' },
];

const weightNames: Readonly<Record<number, string>> = {
  300: 'Light',
  400: 'Regular',
  500: 'Medium',
  600: 'Semibold',
  700: 'Bold',
  800: 'Extra bold',
  900: 'Black',
};

interface TextPanelProps {
  readonly block: Block;
  readonly number: number;
  readonly offer: Capabilities;
  readonly full: boolean;
  readonly onChange: (set: OverlaySet) => void;
  readonly onCopy: () => void;
  readonly onRemove: () => void;
}

/** TextPanel changes the text and the look of a block. */
export function TextPanel({ block, number, offer, full, onChange, onCopy, onRemove }: TextPanelProps) {
  const { values } = block;
  const { font_size: size, max_characters: longest } = offer.overlay_limits;
  const weights = offer.overlay_fonts.find((font) => font.family === values.fontFamily)?.weights ?? [];
  const length = lengthOf(values.text, 'characters');
  return (
    <Panel
      title={`Text ${String(number)}`}
      actions={
        <>
          <Button small icon="copy" disabled={full} onClick={onCopy}>
            Duplicate
          </Button>
          <Button small icon="trash" onClick={onRemove}>
            Remove
          </Button>
        </>
      }
    >
      <div className={css['fields']}>
        <div className={css['whole']}>
          <AreaField
            label="Text"
            rows={2}
            value={values.text}
            counter={{ used: length, max: longest }}
            {...(values.text.trim() === '' ? { problem: 'Enter a text, or remove the block.' } : {})}
            onChange={(event) => {
              onChange({ text: event.target.value });
            }}
          />
        </div>
        <SelectField
          label="Font"
          value={values.fontFamily}
          onChange={(event) => {
            onChange({ fontFamily: event.target.value });
          }}
        >
          {offer.overlay_fonts.map((font) => (
            <option key={font.family} value={font.family}>
              {font.family}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Weight"
          value={values.fontWeight}
          onChange={(event) => {
            onChange({ fontWeight: Number(event.target.value) });
          }}
        >
          {[...new Set([...weights, values.fontWeight])].sort((a, b) => a - b).map((weight) => (
            <option key={weight} value={weight}>
              {weightNames[weight] ?? weight}
            </option>
          ))}
        </SelectField>
        <NumberField
          label="Size"
          value={values.fontSize}
          min={size.min}
          max={size.max}
          onChange={(fontSize) => {
            onChange({ fontSize });
          }}
        />
        <NumberField
          label="Line height"
          value={values.lineHeight}
          min={0.8}
          max={2}
          step={0.05}
          onChange={(lineHeight) => {
            onChange({ lineHeight });
          }}
        />
        <div className={classes(css['field'], css['whole'])}>
          <span aria-hidden="true">Alignment</span>
          <div>
            <Segmented
              label="Alignment"
              value={values.align}
              choices={aligns}
              onChange={(align) => {
                onChange({ align });
              }}
            />
          </div>
        </div>
        <ColorField
          label="Color"
          value={values.color}
          onChange={(color) => {
            onChange({ color });
          }}
        />
        <NumberField
          label="Width, %"
          value={values.maxWidth}
          min={10}
          max={100}
          onChange={(maxWidth) => {
            onChange({ maxWidth });
          }}
        />
        <NumberField
          label="Outline width"
          value={values.strokeWidth}
          min={0}
          max={20}
          step={0.5}
          onChange={(strokeWidth) => {
            onChange({ strokeWidth });
          }}
        />
        <ColorField
          label="Outline color"
          value={values.strokeColor}
          disabled={values.strokeWidth === 0}
          onChange={(strokeColor) => {
            onChange({ strokeColor });
          }}
        />
        <div className={css['plate']}>
          <CheckField
            label="Plate behind the text"
            checked={values.backgroundColor !== null}
            onChange={(event) => {
              onChange({ backgroundColor: event.target.checked ? '#000000B3' : null });
            }}
          />
        </div>
        <ColorField
          label="Plate color"
          value={values.backgroundColor ?? '#000000'}
          disabled={values.backgroundColor === null}
          onChange={(backgroundColor) => {
            onChange({ backgroundColor });
          }}
        />
        <NumberField
          label="Center from the left, %"
          value={values.position.x}
          min={2}
          max={98}
          onChange={(x) => {
            onChange({ position: { x, y: values.position.y } });
          }}
        />
        <NumberField
          label="Center from the top, %"
          value={values.position.y}
          min={2}
          max={98}
          onChange={(y) => {
            onChange({ position: { x: values.position.x, y } });
          }}
        />
      </div>
    </Panel>
  );
}
