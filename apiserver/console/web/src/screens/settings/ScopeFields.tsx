// SPDX-License-Identifier: Apache-2.0

import type { Scope } from '../../api/session';
import { useWorkspace } from '../../shell/workspace';
import { CheckField } from '../../ui/MoreFields';
import css from './settings.module.css';

const hints: Readonly<Record<Scope, string>> = {
  'brand:read': 'Read brands, plan, shorts, jobs and connections; create connect links.',
  'brand:write': 'Change the brand, its defaults and its publishing.',
  'webhooks:write': 'Create, change and test webhooks, and read what they send.',
  'media:read': 'Read media, packs and music.',
  'media:write': 'Upload files.',
  'content:write': 'Create and edit slideshows and videos.',
  'posts:read': 'Read posts and validate them.',
  'posts:write': 'Publish, schedule and cancel posts.',
  'analytics:read': 'Read and refresh analytics.',
  'brands:all': 'Act on all brands of the account.',
};

/** allScopes are the scopes of a key, in the order in which they are shown. */
export const allScopes = Object.keys(hints) as readonly Scope[];

interface ScopeFieldsProps {
  readonly of: readonly Scope[];
  readonly chosen: readonly Scope[];
  readonly onChange: (chosen: readonly Scope[]) => void;
}

/** ScopeFields lets the user choose scopes. Those that the user's role lacks cannot be chosen. */
export function ScopeFields({ of, chosen, onChange }: ScopeFieldsProps) {
  const { can } = useWorkspace();
  return (
    <fieldset className={css['scopes']}>
      <legend>Scopes</legend>
      {of.map((scope) => (
        <CheckField
          key={scope}
          label={scope}
          hint={can(scope) ? hints[scope] : 'Your role does not have this scope.'}
          disabled={!can(scope)}
          checked={chosen.includes(scope)}
          onChange={(event) => {
            onChange(event.target.checked ? [...chosen, scope] : chosen.filter((s) => s !== scope));
          }}
        />
      ))}
    </fieldset>
  );
}
