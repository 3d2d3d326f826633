// SPDX-License-Identifier: Apache-2.0

import { useEffect, useEffectEvent, useReducer, useState } from 'react';
import { useLocation } from 'wouter';

import type { PreviewRequest } from '../../api/preview';
import { useRender } from '../../api/render';
import type { Capabilities, Overlay } from '../../api/schema.gen';
import { curl } from '../../lib/curl';
import { randomKey } from '../../lib/text';
import { useWorkspace } from '../../shell/workspace';
import { Button, ButtonLink, IconButton } from '../../ui/Button';
import { classes } from '../../ui/classes';
import { CopyCurl } from '../../ui/Copy';
import { Confirm } from '../../ui/Dialog';
import { ErrorNote, Note } from '../../ui/Feedback';
import { Leaving } from '../../ui/Leaving';
import { toast } from '../../ui/messages';
import { Page } from '../../ui/Page';
import { Panel } from '../../ui/Panel';
import { Picture } from '../../ui/Picture';
import { AddSlideDialog } from './AddSlide';
import { BackgroundPanel } from './BackgroundPanel';
import { Canvas } from './Canvas';
import { changesOf, reduce, store, stored } from './changes';
import { Corrections } from './Corrections';
import { DesignPanel } from './DesignPanel';
import {
  baseOf,
  blocksOf,
  following,
  idsOf,
  isEmpty,
  noDraft,
  noEdit,
  rebase,
  requestOf,
  sentOf,
  withoutStored,
  type Base,
  type Draft,
  type OverlaySet,
  type Sent,
} from './draft';
import css from './editor.module.css';
import { useAddSlide, useSave } from './operations';
import { SlideList } from './SlideList';
import { Stage } from './Stage';
import { TextPanel } from './TextPanel';
import { usePreview } from './usePreview';

interface WorkbenchProps {
  /** The slideshow as it is stored now. */
  readonly live: Base;
  readonly offer: Capabilities;
}

type Question = 'add' | 'discard' | 'render';

/** onto returns the draft for a newer version of the slideshow. */
const onto = (draft: Draft, ids: readonly number[], sent: Sent | null, next: Base) =>
  rebase(sent ? withoutStored(draft, sent, next) : draft, ids, next);

const slidesOf = (base: Base) => base.data.slides.map((slide) => slide.id);

/** Workbench holds the unsaved changes of a slideshow, and the version that they are changes of. */
export function Workbench({ live, offer }: WorkbenchProps) {
  const { brand, session } = useWorkspace();
  const user = session.user.name;
  const [, navigate] = useLocation();
  const render = useRender(live.id);
  const [base, setBase] = useState(live);
  const [kept] = useState(() => stored(user, brand.id, live.id));
  const [changes, change] = useReducer(reduce, kept, (was) =>
    changesOf(was ? onto(was.draft, was.ids, was.revision < live.revision ? was.sent : null, live) : noDraft),
  );
  const [sent, setSent] = useState(kept?.revision === live.revision ? kept.sent : null);
  const [chosen, setChosen] = useState(slidesOf(live)[0] ?? 0);
  const [selected, setSelected] = useState<string | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const [awaited, setAwaited] = useState(live.status === 'processing');
  const [moved, setMoved] = useState(kept !== null && kept.revision !== live.revision);
  const { draft } = changes;
  const dirty = !isEmpty(draft, base);

  const adopt = (next: Base) => {
    const later = next.revision > base.revision;
    change({ type: 'rebase', map: (was) => onto(was, slidesOf(base), later ? sent : null, next) });
    if (later) {
      setSent(null);
    }
    setBase(next);
    setAwaited(next.status === 'processing');
  };
  const save = useSave(
    live.id,
    ({ record }) => {
      // The editor may have been left before the answer.
      store(user, brand.id, live.id, null);
      const next = baseOf(record);
      if (next) {
        change({ type: 'reset' });
        setSent(null);
        setBase(next);
        setMoved(false);
        toast('The slides are saved');
        if (['none', 'stale', 'failed'].includes(next.render_status) && next.status === 'success_slideshow') {
          setQuestion('render');
        }
      }
    },
    (begun) => {
      const now = begun ? sentOf(draft, base) : null;
      setSent(now);
      store(user, brand.id, base.id, { draft, revision: base.revision, ids: slidesOf(base), sent: now });
    },
  );
  const add = useAddSlide(live.id, (record, { copy_of: source }) => {
    const next = baseOf(record);
    if (next) {
      change({
        type: 'rebase',
        map: (was) => {
          const now = onto(was, slidesOf(base), sent, next);
          const edit = source === undefined ? undefined : now.slides[source];
          return edit ? { ...now, slides: { ...now.slides, [record.slide_id]: edit } } : now;
        },
      });
      setSent(null);
      setBase(next);
      setChosen(record.slide_id);
      setSelected(null);
      setQuestion(null);
      toast('The slide is added');
    }
  });

  const working = save.isPending || add.isPending;
  const laidOut = live.status !== 'processing';
  if (!laidOut && !awaited) {
    setAwaited(true);
  }
  const step = working ? 'same' : following(base, live, awaited);
  const newer = step === 'revision';
  if (step === 'layout' || (newer && !dirty)) {
    adopt(live);
  }
  useEffect(() => {
    store(user, brand.id, base.id, dirty ? { draft, revision: base.revision, ids: slidesOf(base), sent } : null);
  }, [user, brand.id, base, draft, dirty, sent]);

  const order = idsOf(draft, base);
  const slides = order.flatMap((id) => base.data.slides.filter((slide) => slide.id === id));
  const slide = slides.find((s) => s.id === chosen) ?? slides[0];
  const id = slide?.id ?? 0;
  const edit = draft.slides[id] ?? noEdit;
  const ratio = draft.design.aspect_ratio ?? base.aspect_ratio;
  const canvas = offer.aspect_ratios.find((r) => r.value === ratio);
  const body: PreviewRequest = {
    ...requestOf(draft, base, id),
    slide_id: id,
    ...(canvas && suffices(canvas.width / 2, ratio) ? { max_width: canvas.width / 2 } : {}),
  };
  const preview = usePreview(base.id, base.revision, body, laidOut && !working && slide !== undefined);
  const drawing = preview.drawings.get(id);
  const blocks = slide ? blocksOf(slide, edit, drawing?.overlays ?? slide.textOverlays, preview.current) : [];
  const at = blocks.findIndex((block) => block.key === selected);
  const block = blocks[at];
  const changed = new Set(slidesOf(base).filter((s) => requestOf(draft, base, s).slides));
  const full = blocks.length >= offer.overlay_limits.max_overlays_per_slide;

  const rendering = live.render_status === 'queued' || live.render_status === 'processing';
  const savable = dirty && !newer && laidOut && !rendering && blocks.every((b) => b.values.text.trim() !== '');

  const setText = (key: string, set: OverlaySet) => {
    change({ type: 'text', slide: id, key, set, at: Date.now() });
  };
  const addText = (set: OverlaySet) => {
    const key = `new-${randomKey().slice(0, 8)}`;
    change({ type: 'add', slide: id, key, set });
    setSelected(key);
  };
  const removeText = (key: string) => {
    change({ type: 'remove', slide: id, key });
    setSelected(null);
  };
  const choose = (next: number) => {
    setChosen(next);
    setSelected(null);
  };
  const submit = () => {
    if (savable && !working) {
      save.mutate({ body: requestOf(draft, base), revision: base.revision });
    }
  };
  const press = useEffectEvent((event: KeyboardEvent) => {
    const key = event.key.toLowerCase();
    if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector('dialog[open]')) {
      return;
    }
    if (key === 'z' || key === 'y') {
      event.preventDefault();
      change({ type: key === 'y' || event.shiftKey ? 'redo' : 'undo' });
    } else if (key === 's') {
      event.preventDefault();
      submit();
    }
  });
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      press(event);
    };
    addEventListener('keydown', listener);
    return () => {
      removeEventListener('keydown', listener);
    };
  }, []);

  const path = `/slideshows/${String(base.id)}`;
  return (
    <Page
      title={`Edit ${base.title ?? `short ${String(base.id)}`}`}
      actions={
        <>
          <CopyCurl command={curl('PATCH', path, brand.id, { body: requestOf(draft, base) })} />
          <ButtonLink to={`/shorts/${String(base.id)}`} icon="back">
            Short
          </ButtonLink>
        </>
      }
    >
      <div className={css['bar']} role="group" aria-label="Changes">
        <IconButton
          icon="undo"
          label="Undo"
          title="Undo (Ctrl+Z)"
          disabled={changes.past.length === 0}
          onClick={() => {
            change({ type: 'undo' });
          }}
        />
        <IconButton
          icon="redo"
          label="Redo"
          title="Redo (Ctrl+Shift+Z)"
          disabled={changes.future.length === 0}
          onClick={() => {
            change({ type: 'redo' });
          }}
        />
        <span className={css['state']} role="status">
          {dirty ? 'Unsaved changes' : 'All changes are saved'}
        </span>
        <Button
          look="quiet"
          disabled={!dirty || working}
          onClick={() => {
            setQuestion('discard');
          }}
        >
          Discard
        </Button>
        <Button look="primary" busy={save.isPending} disabled={!savable || add.isPending} onClick={submit}>
          Save
        </Button>
      </div>
      <div className={css['notes']}>
        {newer && dirty && (
          <Note tone="warn">
            <p>
              The slideshow was changed elsewhere while you edited it. Your changes are kept. Continue with the new
              version to see both together, then save.
            </p>
            <div>
              <Button
                small
                onClick={() => {
                  adopt(live);
                  setMoved(false);
                }}
              >
                Continue with the new version
              </Button>
            </div>
          </Note>
        )}
        {moved && dirty && !newer && (
          <Note tone="warn">
            The slideshow was changed after your unsaved changes. Look at the slides before you save.
          </Note>
        )}
        {live.status === 'failed' && (
          <Note tone="bad">The slides could not be laid out. Change them and save again.</Note>
        )}
        {!laidOut && <Note tone="info">The slides are being laid out. You can continue in a moment.</Note>}
        {rendering && (
          <Note tone="info">The video is being rendered. You can edit now, and save when it is finished.</Note>
        )}
        {save.error && <ErrorNote error={save.error} onRetry={savable ? submit : undefined} />}
        {add.error && question !== 'add' && <ErrorNote error={add.error} />}
        {!dirty && save.data?.meta.warnings?.map((w) => (
          <Note key={w.code} tone="warn">
            {w.message}
          </Note>
        ))}
        {!dirty && save.data?.meta.normalizations && (
          <Corrections
            title="Saved. The server corrected:"
            corrections={save.data.meta.normalizations}
            slides={slidesOf(base)}
          />
        )}
      </div>
      <div className={css['editor']} inert={save.isPending}>
        <SlideList
          slides={slides}
          chosen={id}
          changed={changed}
          revision={base.revision}
          drawings={preview.drawings}
          ratio={ratio.replace(':', ' / ')}
          min={offer.slide_count.min}
          max={offer.slide_count.max}
          busy={add.isPending}
          onChoose={choose}
          onOrder={(next) => {
            change({ type: 'order', order: next });
            if (!next.includes(id)) {
              choose(next[Math.min(order.indexOf(id), next.length - 1)] ?? 0);
            }
          }}
          onCopy={(source) => {
            add.mutate({ copy_of: source });
          }}
          onAdd={() => {
            add.reset();
            setQuestion('add');
          }}
        />
        <section
          className={css['center']}
          aria-label={`Slide ${String(order.indexOf(id) + 1)}`}
          aria-busy={laidOut && !preview.current && !preview.failure}
        >
          <div className={css['fit']} style={{ maxInlineSize: `calc((100dvh - 250px) * ${shareOf(ratio)})` }}>
            <Stage
              key={id}
              ratio={ratio}
              blocks={blocks}
              selected={selected}
              safe={canvas?.safe_zone}
              onSelect={setSelected}
              onChange={setText}
              onRemove={removeText}
            >
              {drawing ? (
                <Canvas image={drawing.image} label={slide?.alt_text ?? `Slide ${String(id)}`} />
              ) : (
                <Picture
                  url={slide?.rendered_image_url ?? slide?.image_url}
                  alt={slide?.alt_text ?? ''}
                  fallback="media"
                  ratio={ratio.replace(':', ' / ')}
                />
              )}
              {laidOut && !preview.current && !preview.failure && (
                <span className={css['drawing']} aria-hidden="true" />
              )}
            </Stage>
          </div>
          {preview.failure && preview.failure.details['reason'] === 'not_stored' && (
            <Note tone="info">
              This image is fetched when you save. The slide is shown with its old image until then.
            </Note>
          )}
          {preview.failure && preview.failure.details['reason'] !== 'not_stored' && (
            <ErrorNote error={preview.failure} onRetry={preview.retry} />
          )}
          {drawing && preview.current && <Corrections corrections={drawing.normalizations} />}
        </section>
        <div className={css['panels']}>
          <Panel
            title="Texts"
            actions={
              <Button
                small
                icon="add"
                disabled={full}
                onClick={() => {
                  addText({ text: 'New text', position: { x: 50, y: 50 } });
                }}
              >
                Add text
              </Button>
            }
          >
            {blocks.length === 0 ? (
              <p className={css['muted']}>This slide has no text.</p>
            ) : (
              <ul className={css['texts']}>
                {blocks.map((b) => (
                  <li key={b.key}>
                    <button
                      type="button"
                      className={classes(css['text'], b.key === selected && css['current'])}
                      aria-pressed={b.key === selected}
                      dir="auto"
                      onClick={() => {
                        setSelected(b.key === selected ? null : b.key);
                      }}
                    >
                      {b.values.text.trim() || 'Empty'}
                    </button>
                  </li>
                ))}
              </ul>
            )}
          </Panel>
          {block && (
            <TextPanel
              key={`${String(id)} ${block.key}`}
              block={block}
              number={at + 1}
              offer={offer}
              full={full}
              onChange={(set) => {
                setText(block.key, set);
              }}
              onCopy={() => {
                const { x, y } = block.values.position;
                addText({ ...lookOf(block.values), position: { x, y: Math.min(98, y + 8) } });
              }}
              onRemove={() => {
                removeText(block.key);
              }}
            />
          )}
          {slide && (
            <BackgroundPanel
              slide={slide}
              background={edit.background}
              onChange={(background) => {
                change({ type: 'background', slide: id, background });
              }}
            />
          )}
          <DesignPanel
            base={base}
            design={draft.design}
            offer={offer}
            onChange={(set) => {
              change({ type: 'design', set, at: Date.now() });
            }}
          />
        </div>
      </div>
      {question === 'add' && (
        <AddSlideDialog
          busy={add.isPending}
          error={add.error}
          onAdd={(next) => {
            add.mutate({ ...next, position: slidesOf(base).indexOf(id) + 1 });
          }}
          onClose={() => {
            setQuestion(null);
          }}
        />
      )}
      {question === 'discard' && (
        <Confirm
          title="Discard the changes"
          action="Discard"
          danger
          keep="Keep editing"
          onConfirm={() => {
            change({ type: 'reset' });
            setSelected(null);
            return Promise.resolve();
          }}
          onClose={() => {
            setQuestion(null);
          }}
        >
          <p>All unsaved changes of this slideshow are lost. Slides that you added or duplicated stay.</p>
        </Confirm>
      )}
      {question === 'render' && (
        <Confirm
          title={base.render_status === 'none' ? 'Render the video?' : 'Render the video again?'}
          action="Render video"
          keep="Not now"
          onConfirm={async () => {
            await render(base.revision);
            navigate(`/shorts/${String(base.id)}`);
          }}
          onClose={() => {
            setQuestion(null);
          }}
        >
          <p>The slides are saved. The video does not show them until it is rendered.</p>
        </Confirm>
      )}
      <Leaving
        dirty={dirty}
        title="Leave the editor?"
        text="The changes are not saved. They are kept in this tab until you close it."
        left="Your unsaved changes are kept in this tab. Open the editor again to continue."
      />
    </Page>
  );
}

/** lookOf returns a block without its id. */
function lookOf(overlay: Overlay): OverlaySet {
  const { text, fontFamily, fontWeight, fontSize, lineHeight, align, maxWidth } = overlay;
  const { color, strokeColor, strokeWidth, backgroundColor } = overlay;
  const type = { text, fontFamily, fontWeight, fontSize, lineHeight, align, maxWidth };
  return { ...type, color, strokeColor, strokeWidth, backgroundColor };
}

/** suffices reports whether an image of a width is sharp enough on the stage, which is as high as the window allows. */
function suffices(width: number, ratio: string): boolean {
  const stage = (innerHeight - 250) * Number(shareOf(ratio)) * devicePixelRatio;
  return stage <= width * 1.2;
}

/** shareOf returns the width of a ratio such as 9:16 divided by its height. */
function shareOf(ratio: string): string {
  const [width = 9, height = 16] = ratio.split(':').map(Number);
  return String(width / height);
}
