// SPDX-License-Identifier: Apache-2.0

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { asFailure } from '../../api/errors';
import { decide, postChanged } from '../../api/posts';
import type { Post } from '../../api/schema.gen';
import { plural } from '../../lib/format';
import { postName } from '../../lib/posts';
import { Button } from '../../ui/Button';
import { Dialog } from '../../ui/Dialog';
import { ErrorNote } from '../../ui/Feedback';
import { toast } from '../../ui/messages';
import { AreaField } from '../../ui/MoreFields';
import css from './post.module.css';

export type Verdict = 'approve' | 'return';

interface DecisionDialogProps {
  readonly verdict: Verdict;
  readonly posts: readonly Post[];
  readonly onClose: () => void;
}

interface Failed {
  readonly post: Post;
  readonly error: unknown;
}

// The API accepts a comment of this length.
const commentMax = 1000;

/** DecisionDialog approves or returns posts with a comment. It stays open with the posts that failed. */
export function DecisionDialog({ verdict, posts, onClose }: DecisionDialogProps) {
  const client = useQueryClient();
  const [comment, setComment] = useState('');
  const [left, setLeft] = useState(posts);
  const [failed, setFailed] = useState<readonly Failed[]>([]);
  const [busy, setBusy] = useState(false);
  const approve = verdict === 'approve';
  const done = approve ? 'approved' : 'returned';
  const send = async () => {
    setBusy(true);
    const problems: Failed[] = [];
    for (const post of left) {
      try {
        await decide(post, verdict, comment.trim());
      } catch (error) {
        problems.push({ post, error });
      }
    }
    await Promise.all(left.map((post) => postChanged(client, post)));
    const count = left.length - problems.length;
    if (count > 0) {
      toast(`${plural(count, 'post')} ${done}`);
    }
    setBusy(false);
    if (problems.length === 0) {
      onClose();
      return;
    }
    setFailed(problems);
    // A post that was edited after it was shown has to be read again before a decision.
    setLeft(problems.filter((p) => asFailure(p.error).details['reason'] !== 'edited').map((p) => p.post));
  };
  const over = Array.from(comment.trim()).length > commentMax;
  const missing = !approve && comment.trim() === '';
  return (
    <Dialog
      title={`${approve ? 'Approve' : 'Return'} ${plural(posts.length, 'post')}`}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            busy={busy}
            disabled={over || missing || left.length === 0}
            onClick={() => {
              void send();
            }}
          >
            {approve ? 'Approve' : 'Return'}
          </Button>
        </>
      }
    >
      <p>
        {approve
          ? 'Approved posts are published at their time, or at once if they have none.'
          : 'Returned posts stay drafts. Their authors see your comment and can edit them.'}
      </p>
      <AreaField
        label={approve ? 'Comment (optional)' : 'Comment'}
        {...(approve ? {} : { hint: 'What has to change.', required: true })}
        value={comment}
        counter={{ used: Array.from(comment.trim()).length, max: commentMax }}
        onChange={(event) => {
          setComment(event.target.value);
        }}
      />
      {failed.map(({ post, error }) => (
        <section key={post.id} className={css['failed']} aria-label={postName(post)}>
          <p dir="auto">{postName(post)}</p>
          <ErrorNote error={error} />
        </section>
      ))}
    </Dialog>
  );
}
