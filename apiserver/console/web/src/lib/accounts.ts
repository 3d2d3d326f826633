// SPDX-License-Identifier: Apache-2.0

import type { ConnectedAccount, PostIssue } from '../api/schema.gen';
import { sentence, type State, type Tone } from './format';

export const privacyNames: Readonly<Record<string, string>> = {
  PUBLIC_TO_EVERYONE: 'Everyone',
  FOLLOWER_OF_CREATOR: 'Followers',
  MUTUAL_FOLLOW_FRIENDS: 'Friends (followers you follow back)',
  SELF_ONLY: 'Only you',
};

export const connectionStates: Readonly<Record<string, State>> = {
  active: { text: 'Connected', tone: 'good' },
  expiring_soon: { text: 'Expires soon', tone: 'warn' },
  expired: { text: 'Expired', tone: 'bad' },
  revoked: { text: 'Revoked', tone: 'bad' },
  insufficient_scope: { text: 'Permission missing', tone: 'bad' },
};

export function connectionState(status: string): State {
  return connectionStates[status] ?? { text: sentence(status), tone: 'neutral' };
}

export function issueTone(issue: PostIssue): Tone {
  return issue.severity === 'error' ? 'bad' : 'warn';
}

/** usable reports whether posts can be sent to the account. */
export function usable(account: ConnectedAccount): boolean {
  return account.token_status === 'active' || account.token_status === 'expiring_soon';
}
