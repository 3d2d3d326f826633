// SPDX-License-Identifier: Apache-2.0

import type { PlatformRule, PlatformSetting } from '../../api/schema.gen';
import { settingName, settingValue } from '../../lib/settings';
import { SelectField, TextField } from '../../ui/Field';
import css from './composer.module.css';

type Values = Readonly<Record<string, string>>;

interface PlatformFieldsProps {
  readonly rule: PlatformRule;
  readonly values: Values;
  readonly onChange: (values: Values) => void;
}

/** PlatformFields has the settings that the service lists for a platform. */
export function PlatformFields({ rule, values, onChange }: PlatformFieldsProps) {
  if (rule.settings.length === 0) {
    return null;
  }
  return (
    <details className={css['more']}>
      <summary>Settings</summary>
      <div className={css['settings']}>
        {rule.settings.map((setting) => (
          <Setting
            key={setting.name}
            setting={setting}
            value={values[setting.name] ?? ''}
            onChange={(value) => {
              onChange({ ...values, [setting.name]: value });
            }}
          />
        ))}
      </div>
    </details>
  );
}

interface SettingProps {
  readonly setting: PlatformSetting;
  readonly value: string;
  /** What is shown for no value, instead of the default. */
  readonly none?: string;
  readonly onChange: (value: string) => void;
}

/** Setting is one setting that the service lists for a platform. */
export function Setting({ setting, value, none, onChange }: SettingProps) {
  const label = settingName(setting.name);
  if (setting.value_type === 'integer' || setting.value_type === 'text') {
    return (
      <TextField
        label={label}
        type={setting.value_type === 'integer' ? 'number' : 'text'}
        min={0}
        {...(setting.max > 0 ? { max: setting.max } : {})}
        placeholder={setting.default ?? 'Default'}
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    );
  }
  const choices =
    setting.value_type === 'boolean'
      ? [
          { value: 'true', label: 'Yes' },
          { value: 'false', label: 'No' },
        ]
      : setting.values.map((v) => ({ value: v, label: settingValue(v) }));
  const standard = choices.find((choice) => choice.value === setting.default);
  return (
    <SelectField
      label={label}
      value={value}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    >
      <option value="">{none ?? (standard ? `Default (${standard.label.toLowerCase()})` : 'Default')}</option>
      {choices.map((choice) => (
        <option key={choice.value} value={choice.value}>
          {choice.label}
        </option>
      ))}
    </SelectField>
  );
}
