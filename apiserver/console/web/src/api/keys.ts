// SPDX-License-Identifier: Apache-2.0

import { queryOptions } from '@tanstack/react-query';

import { send } from './client';

/** AccessKey is an API key of the account. */
export interface AccessKey {
  readonly name: string;
  readonly display_name: string;
  readonly scopes: readonly string[];
  readonly brand_id: number;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
  readonly request_count: number;
  readonly revoked: boolean;
  /** The agent that a user signed in; null for a key with a secret. */
  readonly client: { readonly name: string; readonly host: string; readonly user: string } | null;
}

export interface NewKey {
  readonly display_name: string;
  readonly scopes: readonly string[];
  readonly brand_id: number;
  readonly expires_at: string | null;
}

export const keysQuery = (account: string) =>
  queryOptions({
    queryKey: ['keys', account],
    queryFn: async () => ((await send('GET', '/keys')) as { data: readonly AccessKey[] }).data,
  });

/** createKey returns the key with its secret, which no later request returns. */
export async function createKey(key: NewKey): Promise<AccessKey & { readonly secret: string }> {
  return ((await send('POST', '/keys', key)) as { data: AccessKey & { secret: string } }).data;
}

export async function revokeKey(name: string): Promise<void> {
  await send('DELETE', `/keys/${encodeURIComponent(name)}`);
}
