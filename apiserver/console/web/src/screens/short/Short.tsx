// SPDX-License-Identifier: Apache-2.0

import '../../kit-screens';

import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { useLocation } from 'wouter';

import { inWork, useLiveShort } from '../../api/events';
import { capabilitiesQuery } from '../../api/queries';
import type { ShortDetail } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { dateTime, duration, plural, shortState } from '../../lib/format';
import { nameOf } from '../../lib/names';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink, Outside } from '../../ui/Button';
import { Command, CopyButton, CopyCurl } from '../../ui/Copy';
import { Badge, ErrorNote, Loading, Note } from '../../ui/Feedback';
import { Page } from '../../ui/Page';
import { Fact, Facts, Panel } from '../../ui/Panel';
import { PostList } from '../calendar/PostList';
import { History } from './History';
import { Player } from './Player';
import { Progress } from './Progress';
import { RenderButton } from './RenderButton';
import css from './short.module.css';
import { Slides } from './Slides';
import { SlidesDownload } from './SlidesDownload';

const DeleteShorts = lazy(() => import('../deletion/DeleteShorts'));

/** Short shows one short: its creation, its video and slides, its texts and its posts. */
export default function Short({ id }: { readonly id: number }) {
  const { account, brand } = useWorkspace();
  const query = useLiveShort(id, brand.id, account);
  const short = query.data;
  if (!short) {
    return (
      <Page title="Short">
        {query.error ? <ErrorNote error={query.error} onRetry={() => void query.refetch()} /> : <Loading lines={8} />}
      </Page>
    );
  }
  return <Detail short={short} />;
}

function Detail({ short }: { readonly short: ShortDetail }) {
  const { brand, can } = useWorkspace();
  const [, navigate] = useLocation();
  const [deleting, setDeleting] = useState(false);
  const state = shortState(short);
  const working = inWork(short);
  const failed = short.status === 'failed' || short.render_status === 'failed';
  const slides = 'slides' in short.type_data ? short.type_data.slides : [];
  const images = slides.flatMap((slide) => slide.rendered_image_url ?? []);
  const usable = short.video_url !== null || (slides.length > 0 && short.status === 'success_slideshow');
  return (
    <Page
      title={short.title ?? (working ? 'New short' : `Short ${String(short.id)}`)}
      lead={<Badge tone={state.tone}>{state.text}</Badge>}
      actions={
        <>
          <CopyCurl command={curl('GET', `/shorts/${String(short.id)}`, brand.id)} />
          {short.video_url && (
            <Outside href={short.video_url} download icon="download">
              MP4
            </Outside>
          )}
          {images.length > 0 && images.length === slides.length && <SlidesDownload id={short.id} urls={images} />}
          {short.type_data.captions_url && (
            <Outside href={short.type_data.captions_url} download icon="download">
              WebVTT
            </Outside>
          )}
          {can('content:write') && (
            <Button
              look="danger"
              icon="trash"
              onClick={() => {
                setDeleting(true);
              }}
            >
              Delete
            </Button>
          )}
          <RenderButton short={short} />
          {can('content:write') && slides.length > 0 && (
            <ButtonLink to={`/shorts/${String(short.id)}/edit`} icon="edit">
              Edit
            </ButtonLink>
          )}
          {can('posts:write') && usable && (
            <ButtonLink to={`/shorts/${String(short.id)}/publish`} look="primary" icon="publish">
              Publish
            </ButtonLink>
          )}
        </>
      }
    >
      <div className={css['layout']}>
        <div className={css['stage']}>
          <Player short={short} />
        </div>
        <div className={css['detail']}>
          {(working || failed) && <Progress short={short} />}
          <Warnings short={short} />
          <Panel title="Caption" actions={short.caption && <CopyButton text={short.caption} label="Copy" />}>
            {short.caption ? (
              <p className={css['caption']} dir="auto">
                {short.caption}
              </p>
            ) : (
              <p className={css['muted']}>{working ? 'Being written.' : 'None.'}</p>
            )}
            <Tags tags={short.tags} />
          </Panel>
          {slides.length > 0 && (
            <Panel title={plural(slides.length, 'slide')}>
              <Slides slides={slides} ratio={short.aspect_ratio.replace(':', ' / ')} />
            </Panel>
          )}
          <Panel title="Posts">
            {short.posts.length > 0 ? (
              <PostList posts={short.posts} />
            ) : (
              <p className={css['muted']}>This short is not published or scheduled yet.</p>
            )}
          </Panel>
          <About short={short} />
          <History short={short} />
        </div>
      </div>
      {deleting && (
        <Suspense>
          <DeleteShorts
            shorts={[short]}
            onDeleted={() => {
              navigate('/');
            }}
            onClose={() => {
              setDeleting(false);
            }}
          />
        </Suspense>
      )}
    </Page>
  );
}

function Tags({ tags }: { readonly tags: string }) {
  const list = tags.split(',').map((tag) => tag.trim()).filter(Boolean);
  return list.length === 0 ? null : (
    <ul className={css['tags']} aria-label="Tags">
      {list.map((tag) => (
        <li key={tag} dir="auto">
          #{tag}
        </li>
      ))}
    </ul>
  );
}

function Warnings({ short }: { readonly short: ShortDetail }) {
  const voice = 'slides' in short.type_data ? short.type_data.voice.warning : null;
  const omitted = short.text?.omitted ?? [];
  return (
    <>
      {short.render_status === 'stale' && (
        <Note tone="warn">The slides changed after the last render. Render the video again before you publish it.</Note>
      )}
      {voice && <Note tone="warn">{voice.message}</Note>}
      {omitted.length > 0 && (
        <Note>
          <p>{plural(omitted.length, 'passage')} of the text did not fit on a slide or in the caption:</p>
          <ul className={css['omitted']}>
            {omitted.map((passage) => (
              <li key={passage} dir="auto">
                {passage}
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  );
}

const writers = { model: 'Language model', offline: 'Offline writer, without a model', manual: 'Texts of the request' };

function About({ short }: { readonly short: ShortDetail }) {
  const { account, zone } = useWorkspace();
  const data = short.type_data;
  const styles = useQuery(capabilitiesQuery).data?.design_styles;
  const kind = short.short_type === 'UGC' ? 'videos.reelops.dev' : 'slideshows.reelops.dev';
  const command = `kubectl get ${kind} -n ${account} -l reelops.dev/id=${String(short.id)} -o yaml`;
  return (
    <Panel title="About">
      <Facts>
        <Fact name="Kind">{short.short_type === 'UGC' ? 'Hook-and-demo video' : 'Slideshow'}</Fact>
        <Fact name="Format">{short.aspect_ratio}</Fact>
        {short.duration_seconds !== null && <Fact name="Length">{duration(short.duration_seconds)}</Fact>}
        {'design_style' in data && data.design_style && <Fact name="Style">{nameOf(styles, data.design_style)}</Fact>}
        {data.language && <Fact name="Language">{data.language}</Fact>}
        {short.text && <Fact name="Text by">{short.text.model ?? writers[short.text.source]}</Fact>}
        {'context' in data && data.context && <Fact name="Written from">{data.context}</Fact>}
        {'hook_text' in data && data.hook_text && <Fact name="Hook">{data.hook_text}</Fact>}
        <Fact name="Created">
          <time dateTime={short.created_at}>{dateTime(short.created_at, zone)}</time>
        </Fact>
        <Fact name="Manifest">
          <Command text={command} />
        </Fact>
      </Facts>
    </Panel>
  );
}
