// SPDX-License-Identifier: Apache-2.0

import type { EditSlideshow, Overlay, OverlayChange, Slide, SlideshowData } from '../../api/schema.gen';

/** Base is the stored slideshow that a draft changes. */
export interface Base {
  readonly id: number;
  readonly title: string | null;
  readonly revision: number;
  readonly aspect_ratio: string;
  readonly status: string;
  readonly render_status: string;
  readonly data: SlideshowData;
}

interface Record_ {
  readonly id: number;
  readonly title: string | null;
  readonly revision: number;
  readonly aspect_ratio: string;
  readonly status: string;
  readonly render_status: string;
  readonly type_data: object;
}

/** baseOf returns the slideshow of a short, or null if the short is none. */
export function baseOf(short: Record_): Base | null {
  const { id, title, revision, aspect_ratio, status, render_status } = short;
  return 'slides' in short.type_data
    ? { id, title, revision, aspect_ratio, status, render_status, data: short.type_data as SlideshowData }
    : null;
}

/** OverlaySet has the changed members of a block of text. */
export type OverlaySet = Omit<OverlayChange, 'id' | 'remove' | 'position'> & {
  readonly position?: { readonly x: number; readonly y: number };
};

export interface Added {
  readonly key: string;
  readonly set: OverlaySet;
}

export interface Background {
  readonly id: number;
  readonly url: string | null;
}

export interface SlideEdit {
  /** The changes of stored blocks by id; null removes a block. */
  readonly overlays: Readonly<Record<string, OverlaySet | null>>;
  readonly added: readonly Added[];
  readonly background: Background | null;
}

export type Design = Pick<
  EditSlideshow,
  | 'design_style'
  | 'aspect_ratio'
  | 'gradient_enabled'
  | 'gradient_color'
  | 'gradient_opacity'
  | 'gradient_direction'
  | 'gradient_coverage'
>;

/** Draft has the unsaved changes of a slideshow. */
export interface Draft {
  readonly design: Design;
  /** The ids of the slides to keep in their order; null for the stored order. */
  readonly order: readonly number[] | null;
  readonly slides: Readonly<Record<string, SlideEdit>>;
}

export const noDraft: Draft = { design: {}, order: null, slides: {} };
export const noEdit: SlideEdit = { overlays: {}, added: [], background: null };

/** idsOf returns the ids of the slides in the order of the draft. */
export function idsOf(draft: Draft, base: Base): readonly number[] {
  return draft.order ?? base.data.slides.map((slide) => slide.id);
}

/** requestOf returns the request of the changes; of one slide only if only is given. */
export function requestOf(draft: Draft, base: Base, only?: number): EditSlideshow {
  const stored = base.data.slides.map((slide) => slide.id);
  const kept = idsOf(draft, base);
  const slides = base.data.slides
    .filter((slide) => kept.includes(slide.id) && (only === undefined || slide.id === only))
    .map((slide) => slideChange(slide, draft.slides[slide.id] ?? noEdit))
    .filter((change) => Object.keys(change).length > 1);
  return {
    ...draft.design,
    ...(kept.length < stored.length ? { slide_order: [...kept] } : {}),
    ...(kept.length === stored.length && kept.some((id, i) => id !== stored[i]) ? { order: [...kept] } : {}),
    ...(slides.length > 0 ? { slides } : {}),
  };
}

type SlideChange = NonNullable<EditSlideshow['slides']>[number];

function slideChange(slide: Slide, edit: SlideEdit): SlideChange {
  const changes: OverlayChange[] = [];
  for (const { id } of slide.textOverlays) {
    const set = edit.overlays[id];
    if (set === null) {
      changes.push({ id, remove: true });
    } else if (set && Object.keys(set).length > 0) {
      changes.push({ id, ...set });
    }
  }
  const first = slide.textOverlays[0];
  if (edit.added.length > 0 && changes.length === 0 && first) {
    // Without an id, the blocks would replace those of the slide.
    changes.push({ id: first.id });
  }
  changes.push(...edit.added.map(({ set }) => set));
  return {
    id: slide.id,
    ...(changes.length > 0 ? { textOverlays: changes } : {}),
    ...(edit.background ? { media_id: edit.background.id } : {}),
  };
}

/** isEmpty reports whether a draft changes nothing. */
export function isEmpty(draft: Draft, base: Base): boolean {
  return Object.keys(requestOf(draft, base)).length === 0;
}

/** rebase returns the draft for a newer version of the slideshow. Changes of what no longer exists are dropped. */
export function rebase(draft: Draft, known: readonly number[], base: Base): Draft {
  const stored = base.data.slides.map((slide) => slide.id);
  const slides: Record<string, SlideEdit> = {};
  for (const slide of base.data.slides) {
    const edit = draft.slides[slide.id];
    if (edit) {
      const exists = new Set(slide.textOverlays.map((overlay) => String(overlay.id)));
      const overlays = Object.fromEntries(Object.entries(edit.overlays).filter(([id]) => exists.has(id)));
      slides[slide.id] = { ...edit, overlays };
    }
  }
  if (!draft.order) {
    return { ...draft, slides };
  }
  const order = draft.order.filter((id) => stored.includes(id));
  stored.forEach((id, i) => {
    if (!known.includes(id)) {
      const before = order.indexOf(stored[i - 1] ?? -1);
      order.splice(i === 0 ? 0 : before < 0 ? order.length : before + 1, 0, id);
    }
  });
  return { ...draft, slides, order };
}

/**
 * Sent has the texts that a save with an unknown outcome added, and the ids of the texts that were stored before. The
 * keys are the ids of the slides.
 */
export type Sent = Readonly<Record<string, { readonly added: readonly Added[]; readonly known: readonly number[] }>>;

/** sentOf returns the added texts of a draft. */
export function sentOf(draft: Draft, base: Base): Sent {
  const sent: Record<string, Sent[string]> = {};
  for (const slide of base.data.slides) {
    const added = draft.slides[slide.id]?.added ?? [];
    if (added.length > 0) {
      sent[slide.id] = { added, known: slide.textOverlays.map((overlay) => overlay.id) };
    }
  }
  return sent;
}

/**
 * withoutStored returns the draft without the added texts that a newer version of the slideshow has, because the save
 * with the unknown outcome stored them. Later changes of such a text become changes of the stored text.
 */
export function withoutStored(draft: Draft, sent: Sent, base: Base): Draft {
  const slides: Record<string, SlideEdit> = { ...draft.slides };
  for (const slide of base.data.slides) {
    const { added: before, known } = sent[slide.id] ?? { added: [], known: [] };
    const fresh = slide.textOverlays.filter((overlay) => !known.includes(overlay.id));
    const edit = slides[slide.id] ?? noEdit;
    let { added } = edit;
    const overlays = { ...edit.overlays };
    for (const { key, set } of before) {
      const at = fresh.findIndex((overlay) => overlay.text.trim() === set.text?.trim());
      const stored = fresh[at];
      if (!stored) {
        continue;
      }
      fresh.splice(at, 1);
      const now = added.find((a) => a.key === key);
      added = added.filter((a) => a.key !== key);
      if (!now) {
        overlays[stored.id] = null;
      } else if (JSON.stringify(now.set) !== JSON.stringify(set)) {
        overlays[stored.id] = now.set;
      }
    }
    if (before.length > 0) {
      slides[slide.id] = { ...edit, added, overlays };
    }
  }
  return { ...draft, slides };
}

/** Following is how the stored slideshow follows the base of a draft. */
export type Following = 'same' | 'layout' | 'revision';

/**
 * following compares the stored slideshow with the base. The server shows a new revision while it lays out the slides,
 * and the finished layout has the same revision. awaited reports whether the base may be from before that layout.
 */
export function following(base: Base, live: Base, awaited: boolean): Following {
  if (live.revision > base.revision) {
    return 'revision';
  }
  const finished = live.status !== 'processing' && (awaited || live.status !== base.status);
  return finished && live.revision === base.revision ? 'layout' : 'same';
}

/** Block is a block of text in the editor. */
export interface Block {
  /** The id of a stored block, or the key of an added one. */
  readonly key: string;
  /** The block as it was drawn last. While a drawing is pending, with the changes since then. */
  readonly shown: Overlay;
  /** The block with the values that were entered. */
  readonly values: Overlay;
}

const plain: Overlay = {
  id: 0,
  text: '',
  fontFamily: 'Inter',
  fontWeight: 700,
  fontSize: 64,
  color: '#FFFFFF',
  strokeColor: '#000000',
  strokeWidth: 0,
  backgroundColor: null,
  position: { x: 50, y: 50 },
  align: 'center',
  maxWidth: 60,
  lineHeight: 1.2,
};

/** blocksOf returns the blocks of a slide. current reports whether the drawn overlays include all changes. */
export function blocksOf(slide: Slide, edit: SlideEdit, drawn: readonly Overlay[], current: boolean): readonly Block[] {
  const block = (key: string, was: Overlay, set: OverlaySet): Block => {
    const values = { ...was, ...set } as Overlay;
    return { key, values, shown: current ? { ...was, text: values.text } : values };
  };
  const stored = new Set(slide.textOverlays.map((overlay) => overlay.id));
  const extra = drawn.filter((overlay) => !stored.has(overlay.id));
  return [
    ...slide.textOverlays
      .filter((overlay) => edit.overlays[overlay.id] !== null)
      .map((overlay) =>
        block(
          String(overlay.id),
          drawn.find((d) => d.id === overlay.id) ?? overlay,
          edit.overlays[overlay.id] ?? {},
        ),
      ),
    ...edit.added.map((added, i) => block(added.key, extra[i] ?? plain, added.set)),
  ];
}
