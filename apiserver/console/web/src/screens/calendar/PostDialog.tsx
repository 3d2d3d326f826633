// SPDX-License-Identifier: Apache-2.0

import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { cancelPost, postChanged } from '../../api/posts';
import type { Post } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, platformName, sentence } from '../../lib/format';
import { cancellable, declared, postState } from '../../lib/posts';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink, Outside } from '../../ui/Button';
import { CopyCurl } from '../../ui/Copy';
import { Confirm, Dialog } from '../../ui/Dialog';
import { Badge, Note } from '../../ui/Feedback';
import { toast } from '../../ui/messages';
import { Fact, Facts } from '../../ui/Panel';
import { Declared } from '../post/Declared';
import { Times } from '../post/Times';
import { movable } from './move';
import css from './post.module.css';

interface PostDialogProps {
  readonly post: Post;
  readonly onClose: () => void;
  readonly onMove?: (post: Post) => void;
}

/** PostDialog shows one post, and moves or cancels it while that is possible. */
export function PostDialog({ post, onClose, onMove }: PostDialogProps) {
  const { brand, zone, can } = useWorkspace();
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const state = postState(post);
  const cancel = async () => {
    await cancelPost(post.id);
    await postChanged(client, post);
    toast('The post is cancelled');
  };
  const name = `${platformName(post.platform)} · ${post.account_name ?? 'account'}`;
  return (
    <>
      <Dialog
        title={name}
        onClose={onClose}
        footer={
          <>
            <CopyCurl command={curl('GET', `/posts/${String(post.id)}`, brand.id)} />
            <ButtonLink to={`/posts/${String(post.id)}`} icon="activity">
              Details
            </ButtonLink>
            <ButtonLink to={`/shorts/${String(post.short_id)}`} icon="video">
              Short
            </ButtonLink>
            {onMove && movable(post, can('posts:write')) && (
              <Button
                icon="calendar"
                onClick={() => {
                  onClose();
                  onMove(post);
                }}
              >
                Move
              </Button>
            )}
            {post.post_url && (
              <Outside href={post.post_url} icon="external">
                View post
              </Outside>
            )}
            {cancellable(post) && can('posts:write') && (
              <Button
                look="danger"
                icon="trash"
                onClick={() => {
                  setAsking(true);
                }}
              >
                Cancel post
              </Button>
            )}
          </>
        }
      >
        <div>
          <Badge tone={state.tone}>{state.text}</Badge>
        </div>
        {declared(post) && <Declared post={post} />}
        {post.delivery_state === 'unconfirmed' && (
          <Note tone="warn">The post may have been published. It is not sent again. Check the account.</Note>
        )}
        {post.error && <Note tone="bad">{post.error.message}</Note>}
        {post.warnings.map((warning) => (
          <Note key={warning} tone="warn">
            {warning}
          </Note>
        ))}
        {post.title && (
          <p className={css['title']} dir="auto">
            {post.title}
          </p>
        )}
        {post.caption && (
          <p className={css['caption']} dir="auto">
            {post.caption}
          </p>
        )}
        <Facts>
          <Times post={post} />
          {post.next_attempt_at && (
            <Fact name="Next attempt">
              <time dateTime={post.next_attempt_at}>{dateTime(post.next_attempt_at, zone)}</time>
            </Fact>
          )}
          <Fact name="Content">{sentence(post.media_kind)}</Fact>
          <Fact name="Mode">{post.posting_mode === 'draft' ? 'Draft on the platform' : 'Publish directly'}</Fact>
          <Fact name="Attempts">{post.attempts}</Fact>
          {post.first_comment && <Fact name="First comment">{sentence(post.first_comment.state)}</Fact>}
          <Fact name="Batch">
            <code>{post.batch_id}</code>
          </Fact>
        </Facts>
      </Dialog>
      {asking && (
        <Confirm
          title="Cancel this post"
          action="Cancel post"
          keep="Keep post"
          danger
          onConfirm={cancel}
          onClose={() => {
            setAsking(false);
          }}
        >
          <p>
            The post on <bdi>{name}</bdi> will not be published. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}
