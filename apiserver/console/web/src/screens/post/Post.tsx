// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { cancelPost, postChanged, postQuery } from '../../api/posts';
import { shortQuery } from '../../api/queries';
import type { Post as PostData } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, platformName, sentence } from '../../lib/format';
import { cancellable, declared, editable, postState } from '../../lib/posts';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink, Outside } from '../../ui/Button';
import { CopyButton, CopyCurl } from '../../ui/Copy';
import { Confirm } from '../../ui/Dialog';
import { Badge, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { toast } from '../../ui/messages';
import { Page } from '../../ui/Page';
import { Fact, Facts, Panel } from '../../ui/Panel';
import { ApprovalNote } from './ApprovalNote';
import { Declared } from './Declared';
import { DecisionDialog, type Verdict } from './DecisionDialog';
import { EditDialog } from './EditDialog';
import css from './post.module.css';
import { PostContent } from './PostContent';
import { PostPlayer, RevisionNote } from './PostPlayer';
import { Timeline } from './Timeline';
import { Times } from './Times';

/** Post shows one post from the request to the platform, and edits, decides or cancels it while that is possible. */
export default function Post({ id }: { readonly id: number }) {
  const query = useQuery(postQuery(id));
  if (!query.data) {
    return (
      <Page title="Post">
        {query.error ? <ErrorNote error={query.error} onRetry={() => void query.refetch()} /> : <Loading lines={8} />}
      </Page>
    );
  }
  return <Detail post={query.data} />;
}

function Detail({ post }: { readonly post: PostData }) {
  const { brand, zone } = useWorkspace();
  const short = useQuery(shortQuery(post.short_id));
  const state = postState(post);
  const name = `${platformName(post.platform)} · ${post.account_name ?? 'account'}`;
  return (
    <Page
      title={name}
      lead={<Badge tone={state.tone}>{state.text}</Badge>}
      actions={
        <>
          <CopyCurl command={curl('GET', `/posts/${String(post.id)}`, brand.id)} />
          <Actions post={post} name={name} />
        </>
      }
    >
      <div className={css['layout']}>
        <div className={css['stage']}>
          <PostPlayer post={post} short={short.data} />
          <ButtonLink to={`/shorts/${String(post.short_id)}`} icon="video">
            Open short
          </ButtonLink>
        </div>
        <div className={css['detail']}>
          <Notes post={post} />
          <RevisionNote post={post} short={short.data} />
          <Panel title="Text">
            {post.title && (
              <p dir="auto">
                <strong>{post.title}</strong>
              </p>
            )}
            <p className={css['caption']} dir="auto">
              {post.caption ?? 'No caption.'}
            </p>
          </Panel>
          <Panel title="Settings">
            <PostContent post={post} />
          </Panel>
          <Panel
            title="Timeline"
            actions={
              <CopyCurl command={curl('GET', `/shorts/${String(post.short_id)}/history`, brand.id)} />
            }
          >
            <Timeline post={post} />
          </Panel>
          <Panel
            title="Proof"
            actions={<CopyButton text={JSON.stringify(post, null, 2)} label="Copy as JSON" look="quiet" />}
          >
            <Facts>
              <Fact name="Post">{post.id}</Fact>
              <Fact name="Batch">
                <code>{post.batch_id}</code>
              </Fact>
              <Fact name="Requested">
                <time dateTime={post.created_at}>{dateTime(post.created_at, zone)}</time>
              </Fact>
              <Times post={post} />
              <Fact name="Attempts">{post.attempts}</Fact>
              <Fact name="On the platform">
                {post.delivery_state ? sentence(post.delivery_state) : 'Not sent yet'}
              </Fact>
              {post.platform_post_id && (
                <Fact name="Platform id">
                  <code>{post.platform_post_id}</code>
                </Fact>
              )}
              <Fact name="Content">{sentence(post.media_kind)}</Fact>
              <Fact name="Mode">{post.posting_mode === 'draft' ? 'Draft on the platform' : 'Publish directly'}</Fact>
              {post.revision !== null && <Fact name="Revision of the short">{post.revision}</Fact>}
            </Facts>
          </Panel>
        </div>
      </div>
    </Page>
  );
}

function Notes({ post }: { readonly post: PostData }) {
  return (
    <>
      {declared(post) && <Declared post={post} />}
      <ApprovalNote post={post} />
      {post.delivery_state === 'unconfirmed' && (
        <Note tone="warn">The post may have been published. It is not sent again. Check the account.</Note>
      )}
      {post.error && <Note tone="bad">{post.error.message}</Note>}
      {post.warnings.map((warning) => (
        <Note key={warning} tone="warn">
          {warning}
        </Note>
      ))}
    </>
  );
}

type Open = '' | 'edit' | 'cancel' | Verdict;

function Actions({ post, name }: { readonly post: PostData; readonly name: string }) {
  const { can, session } = useWorkspace();
  const client = useQueryClient();
  const [open, setOpen] = useState<Open>('');
  const close = () => {
    setOpen('');
  };
  const writes = can('posts:write');
  const decides = session.can.approve && post.status === 'draft' && post.approval.required;
  return (
    <>
      {post.post_url && (
        <Outside href={post.post_url} icon="external">
          View post
        </Outside>
      )}
      {writes && cancellable(post) && (
        <Button
          look="danger"
          icon="trash"
          onClick={() => {
            setOpen('cancel');
          }}
        >
          Cancel post
        </Button>
      )}
      {writes && editable(post) && (
        <Button
          icon="edit"
          onClick={() => {
            setOpen('edit');
          }}
        >
          Edit
        </Button>
      )}
      {decides && (
        <>
          <Button
            onClick={() => {
              setOpen('return');
            }}
          >
            Return
          </Button>
          <Button
            look="primary"
            icon="approve"
            onClick={() => {
              setOpen('approve');
            }}
          >
            Approve
          </Button>
        </>
      )}
      {open === 'edit' && <EditDialog post={post} onClose={close} />}
      {(open === 'approve' || open === 'return') && <DecisionDialog verdict={open} posts={[post]} onClose={close} />}
      {open === 'cancel' && (
        <Confirm
          title="Cancel this post"
          action="Cancel post"
          keep="Keep post"
          danger
          onConfirm={async () => {
            await cancelPost(post.id);
            await postChanged(client, post);
            toast('The post is cancelled');
          }}
          onClose={close}
        >
          <p>
            The post on <bdi>{name}</bdi> will not be published. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  );
}
