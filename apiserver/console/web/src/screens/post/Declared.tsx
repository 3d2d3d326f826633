// SPDX-License-Identifier: Apache-2.0

import type { Post } from '../../api/schema.gen';
import { Note } from '../../ui/Feedback';

/** Declared explains where a post of a manifest is changed. */
export function Declared({ post }: { readonly post: Pick<Post, 'batch_id'> }) {
  return (
    <Note>
      <p>
        This post comes from the manifest PostBatch <code>{post.batch_id}</code>. Change it there, for example in Git.
        The console does not move or edit it.
      </p>
    </Note>
  );
}
