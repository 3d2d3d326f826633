// SPDX-License-Identifier: Apache-2.0

import {
  noDraft,
  noEdit,
  type Background,
  type Design,
  type Draft,
  type OverlaySet,
  type Sent,
  type SlideEdit,
} from './draft';

/** Changes is a draft with the drafts before and after it. */
export interface Changes {
  readonly past: readonly Draft[];
  readonly draft: Draft;
  readonly future: readonly Draft[];
  /** What the last change was about. Further changes of it within a moment are undone together. */
  readonly group: string;
  readonly at: number;
}

interface OfText {
  readonly slide: number;
  readonly key: string;
}

export type Change =
  | (OfText & { readonly type: 'text'; readonly set: OverlaySet; readonly at: number })
  | (OfText & { readonly type: 'add'; readonly set: OverlaySet })
  | (OfText & { readonly type: 'remove' })
  | { readonly type: 'background'; readonly slide: number; readonly background: Background | null }
  | { readonly type: 'design'; readonly set: Design; readonly at: number }
  | { readonly type: 'order'; readonly order: readonly number[] }
  | { readonly type: 'reset' }
  | { readonly type: 'rebase'; readonly map: (draft: Draft) => Draft }
  | { readonly type: 'undo' }
  | { readonly type: 'redo' };

const moment = 1200;
const depth = 100;

export function changesOf(draft: Draft): Changes {
  return { past: [], draft, future: [], group: '', at: 0 };
}

/** reduce applies a change. */
export function reduce(state: Changes, change: Change): Changes {
  switch (change.type) {
    case 'undo': {
      const before = state.past.at(-1);
      return before
        ? { ...changesOf(before), past: state.past.slice(0, -1), future: [state.draft, ...state.future] }
        : state;
    }
    case 'redo': {
      const [after, ...future] = state.future;
      return after ? { ...changesOf(after), past: [...state.past, state.draft], future } : state;
    }
    case 'reset':
      return changesOf(noDraft);
    case 'rebase': {
      const { past, draft, future } = state;
      return {
        ...changesOf(change.map(draft)),
        past: past.map(change.map),
        future: future.map(change.map),
      };
    }
    default: {
      const group = groupOf(change);
      const at = 'at' in change ? change.at : 0;
      const joined = group !== '' && group === state.group && at - state.at < moment;
      return {
        past: joined ? state.past : [...state.past.slice(-depth), state.draft],
        draft: apply(state.draft, change),
        future: [],
        group,
        at,
      };
    }
  }
}

type Edit = Exclude<Change, { readonly type: 'undo' | 'redo' | 'reset' | 'rebase' }>;

function groupOf(change: Edit): string {
  switch (change.type) {
    case 'text':
      return `${String(change.slide)} ${change.key} ${Object.keys(change.set).join(' ')}`;
    case 'design':
      return Object.keys(change.set).join(' ');
    default:
      return '';
  }
}

function apply(draft: Draft, change: Edit): Draft {
  const edit = (slide: number, next: (was: SlideEdit) => SlideEdit): Draft => ({
    ...draft,
    slides: { ...draft.slides, [slide]: next(draft.slides[slide] ?? noEdit) },
  });
  switch (change.type) {
    case 'text':
      return edit(change.slide, (was) =>
        was.added.some((a) => a.key === change.key)
          ? {
              ...was,
              added: was.added.map((a) => (a.key === change.key ? { ...a, set: { ...a.set, ...change.set } } : a)),
            }
          : { ...was, overlays: { ...was.overlays, [change.key]: { ...was.overlays[change.key], ...change.set } } },
      );
    case 'add':
      return edit(change.slide, (was) => ({ ...was, added: [...was.added, { key: change.key, set: change.set }] }));
    case 'remove':
      return edit(change.slide, (was) =>
        was.added.some((a) => a.key === change.key)
          ? { ...was, added: was.added.filter((a) => a.key !== change.key) }
          : { ...was, overlays: { ...was.overlays, [change.key]: null } },
      );
    case 'background':
      return edit(change.slide, (was) => ({ ...was, background: change.background }));
    case 'design':
      return { ...draft, design: { ...draft.design, ...change.set } };
    case 'order':
      return { ...draft, order: change.order };
  }
}

export interface Stored {
  readonly draft: Draft;
  readonly revision: number;
  readonly ids: readonly number[];
  /** The texts that a save with an unknown outcome added, or null. */
  readonly sent: Sent | null;
}

const keyOf = (user: string, brand: number, id: number) => `reelops.edit.${user}.${String(brand)}.${String(id)}`;

/** stored returns the user's unsaved changes that the tab kept, or null. */
export function stored(user: string, brand: number, id: number): Stored | null {
  try {
    const found = JSON.parse(sessionStorage.getItem(keyOf(user, brand, id)) ?? 'null') as Stored | null;
    return found && { ...found, draft: { ...noDraft, ...found.draft }, sent: found.sent ?? null };
  } catch {
    return null;
  }
}

/** store keeps the unsaved changes in the tab. null removes them. */
export function store(user: string, brand: number, id: number, kept: Stored | null): void {
  if (kept) {
    sessionStorage.setItem(keyOf(user, brand, id), JSON.stringify(kept));
  } else {
    sessionStorage.removeItem(keyOf(user, brand, id));
  }
}
