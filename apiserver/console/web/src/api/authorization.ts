// SPDX-License-Identifier: Apache-2.0

import { queryOptions } from '@tanstack/react-query';

import { send } from './client';

/** ClientRequest is the request of an OAuth client, such as an agent, for access. */
export interface ClientRequest {
  /** The name that the client gave itself. */
  readonly name: string;
  /** The host that published the client's metadata; empty for a client that registered itself. */
  readonly host: string;
  readonly redirect_host: string;
  /** Whether the response goes to a program on the user's computer. */
  readonly this_computer: boolean;
  readonly scopes: readonly string[];
  /** For a refused request: the address that tells the client. */
  readonly redirect?: string;
}

export interface Grant {
  readonly brand_id: number;
  readonly scopes: readonly string[];
  readonly expires_at: string;
}

export const clientQuery = (query: string) =>
  queryOptions({
    queryKey: ['authorization', query],
    queryFn: async () => ((await send('GET', `/authorization?${query}`)) as { data: ClientRequest }).data,
    staleTime: Infinity,
    retry: false,
  });

/** decideClient approves a client, or refuses it without a grant. It returns the address to open then. */
export async function decideClient(query: string, grant: Grant | null): Promise<string> {
  const body = { query, approve: grant !== null, ...(grant ?? {}) };
  return ((await send('POST', '/authorization', body)) as { data: { redirect: string } }).data.redirect;
}
