// SPDX-License-Identifier: Apache-2.0

import { sentence } from './format';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** nameOf returns the name that GET /capabilities gives a value. Without the list it returns the value as words. */
export function nameOf(offered: readonly Named[] | undefined, id: string): string {
  return offered?.find((item) => item.id === id)?.name ?? sentence(id);
}
