// SPDX-License-Identifier: Apache-2.0

import { queryOptions } from '@tanstack/react-query';

import { send } from './client';

/** Subject is a user, a group or a service account that has a role. */
export interface Subject {
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
}

/** Member is a role binding of the account. */
export interface Member {
  readonly name: string;
  readonly role: string;
  readonly subjects: readonly Subject[];
  readonly created_at: string;
}

/** Members are the role bindings of the account, and what the user may change about them. */
export interface Members {
  readonly data: readonly Member[];
  readonly can: { readonly roles: readonly string[]; readonly remove: boolean };
}

export interface NewMember {
  readonly role: string;
  readonly kind: 'User' | 'Group';
  readonly name: string;
}

export const membersQuery = (account: string) =>
  queryOptions({
    queryKey: ['members', account],
    queryFn: async () => (await send('GET', '/members')) as Members,
  });

export async function addMember(member: NewMember): Promise<void> {
  await send('POST', '/members', member);
}

export async function removeMember(name: string): Promise<void> {
  await send('DELETE', `/members/${encodeURIComponent(name)}`);
}
