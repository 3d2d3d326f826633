// SPDX-License-Identifier: Apache-2.0

import '../kit';

import { Confirm } from '../ui/Dialog';

interface SignOutEverywhereProps {
  readonly user: string;
  readonly onConfirm: () => Promise<void>;
  readonly onClose: () => void;
}

/** SignOutEverywhere asks before all sessions of the user end. */
export default function SignOutEverywhere({ user, onConfirm, onClose }: SignOutEverywhereProps) {
  return (
    <Confirm
      title="Sign out everywhere"
      action="Sign out everywhere"
      danger
      keep="Stay signed in"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <p>This ends all sessions of {user} in the console, in this and in other browsers.</p>
    </Confirm>
  );
}
