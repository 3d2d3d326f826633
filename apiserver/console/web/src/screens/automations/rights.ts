// SPDX-License-Identifier: Apache-2.0

import { useWorkspace } from '../../shell/workspace';

/** useMayAutomate reports whether the user has the scopes of operations that change automations. */
export function useMayAutomate(): boolean {
  const { can } = useWorkspace();
  return can('content:write') && can('posts:write');
}
