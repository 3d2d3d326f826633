// SPDX-License-Identifier: Apache-2.0

/** classes joins the names that are set. */
export function classes(...names: readonly (string | false | null | undefined)[]): string {
  return names.filter(Boolean).join(' ');
}
