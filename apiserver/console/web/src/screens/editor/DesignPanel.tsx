// SPDX-License-Identifier: Apache-2.0

import type { Capabilities } from '../../api/schema.gen';
import { sentence } from '../../lib/format';
import { SelectField } from '../../ui/Field';
import { CheckField } from '../../ui/MoreFields';
import { Panel } from '../../ui/Panel';
import type { Base, Design } from './draft';
import css from './editor.module.css';
import { ColorField, ShareField } from './Inputs';

interface DesignPanelProps {
  readonly base: Base;
  readonly design: Design;
  readonly offer: Capabilities;
  readonly onChange: (set: Design) => void;
}

/** DesignPanel changes what all slides have in common. */
export function DesignPanel({ base, design, offer, onChange }: DesignPanelProps) {
  const { data } = base;
  const style = design.design_style ?? data.design_style;
  const enabled = design.gradient_enabled ?? data.gradient_enabled;
  const about = offer.design_styles.find((s) => s.id === style)?.description;
  return (
    <Panel title="All slides">
      <div className={css['fields']}>
        <div className={css['whole']}>
          <SelectField
            label="Style"
            hint={about}
            value={style}
            onChange={(event) => {
              onChange({ design_style: event.target.value } as Design);
            }}
          >
            {offer.design_styles.map((s) => (
              <option key={s.id} value={s.id}>
                {s.name}
              </option>
            ))}
          </SelectField>
        </div>
        <SelectField
          label="Format"
          value={design.aspect_ratio ?? base.aspect_ratio}
          onChange={(event) => {
            onChange({ aspect_ratio: event.target.value } as Design);
          }}
        >
          {offer.aspect_ratios.map((r) => (
            <option key={r.value} value={r.value}>
              {r.value}
            </option>
          ))}
        </SelectField>
        <div className={css['plate']}>
          <CheckField
            label="Gradient"
            checked={enabled}
            onChange={(event) => {
              onChange({ gradient_enabled: event.target.checked });
            }}
          />
        </div>
        <ColorField
          label="Gradient color"
          value={design.gradient_color ?? data.gradient_color}
          disabled={!enabled}
          onChange={(gradient_color) => {
            onChange({ gradient_color });
          }}
        />
        <SelectField
          label="Darkest side"
          value={design.gradient_direction ?? data.gradient_direction}
          disabled={!enabled}
          onChange={(event) => {
            onChange({ gradient_direction: event.target.value } as Design);
          }}
        >
          {offer.gradient.directions.map((direction) => (
            <option key={direction} value={direction}>
              {sentence(direction)}
            </option>
          ))}
        </SelectField>
        <ShareField
          label="Opacity"
          value={design.gradient_opacity ?? data.gradient_opacity}
          disabled={!enabled}
          onChange={(gradient_opacity) => {
            onChange({ gradient_opacity });
          }}
        />
        <ShareField
          label="Coverage"
          value={design.gradient_coverage ?? data.gradient_coverage}
          disabled={!enabled}
          onChange={(gradient_coverage) => {
            onChange({ gradient_coverage });
          }}
        />
      </div>
    </Panel>
  );
}
