// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { dateTime } from '../../lib/format';
import { useWorkspace } from '../../shell/workspace';
import { Note } from '../../ui/Feedback';

/** ApprovalNote shows the last decision about a post, and whether the post was edited after it. */
export function ApprovalNote({ post }: { readonly post: Pick<Post, 'approval'> }) {
  const { zone } = useWorkspace();
  const { approval } = post;
  if (!approval.at) {
    return null;
  }
  const verdict = { returned: 'Returned by', approved: 'Approved by', waiting: 'Edited since the decision of' };
  return (
    <Note tone={approval.state === 'returned' ? 'warn' : 'neutral'}>
      <p>
        {verdict[approval.state ?? 'waiting']} <bdi>{approval.by ?? 'an unknown user'}</bdi>,{' '}
        <time dateTime={approval.at}>{dateTime(approval.at, zone)}</time>
      </p>
      {approval.comment && <p dir="auto">{approval.comment}</p>}
    </Note>
  );
}
