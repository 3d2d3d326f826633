// SPDX-License-Identifier: Apache-2.0

// Types of operations that the generated types do not have yet.

import type { Client } from 'openapi-fetch';

import { api } from './client';
import type {
  BrandDetail as PublishedBrand,
  MediaItem,
  Meta,
  Pack,
  Post as PublishedPost,
  PostCustomization,
  PostSettings,
} from './schema.gen';

export interface Approval {
  readonly required: boolean;
  readonly state: 'waiting' | 'returned' | 'approved' | null;
  readonly comment: string | null;
  readonly by: string | null;
  readonly at: string | null;
}

export type Post = PublishedPost & { readonly edits?: number; readonly approval?: Approval };

export interface EditPost {
  readonly scheduled_at?: string;
  readonly title?: string;
  readonly caption?: string;
  readonly platform_customizations?: Readonly<Record<string, PostCustomization>>;
}

export interface DecidePost {
  readonly comment?: string;
  readonly edits?: number;
}

export type BrandDetail = PublishedBrand & { readonly time_zone?: string; readonly posting_suspended?: boolean };

export interface EditBrand {
  readonly name?: string;
  readonly description?: string | null;
  readonly website?: string | null;
  readonly language?: string | null;
  readonly time_zone?: string | null;
  readonly posting_suspended?: boolean;
  readonly profile?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly slideshow_defaults?: Readonly<Record<string, unknown>>;
  readonly posting_defaults?: { readonly [Name in keyof PostSettings]?: PostSettings[Name] | null };
}

export interface EditMedia {
  readonly title?: string | null;
  readonly description?: string | null;
  readonly tags?: readonly string[] | null;
}

export interface NewPack {
  readonly name: string;
  readonly description?: string | null;
  readonly media_ids?: readonly number[];
}

export interface EditPack {
  readonly name?: string;
  readonly description?: string | null;
  readonly add_media_ids?: readonly number[];
  readonly remove_media_ids?: readonly number[];
}

export type PackDetail = Pack & { readonly media: MediaItem[] };

interface Deleted {
  readonly id: number;
  readonly deleted: boolean;
}

interface Path {
  readonly path: { readonly id: number };
  query?: never;
  header?: never;
  cookie?: never;
}

interface Answered<Data> {
  200: { headers: Record<string, unknown>; content: { 'application/json': { data: Data; meta: Meta } } };
}

interface Operation<Parameters, Body, Data> {
  parameters: Parameters;
  requestBody: { content: { 'application/json': Body } };
  responses: Answered<Data>;
}

interface Bodiless<Parameters, Data> {
  parameters: Parameters;
  requestBody?: never;
  responses: Answered<Data>;
}

interface Nothing {
  query?: never;
  header?: never;
  path?: never;
  cookie?: never;
}

interface Paged extends Omit<Path, 'query'> {
  query?: { page?: number; per_page?: number };
}

interface AddedPaths {
  '/api/v1/posts/{id}': { parameters: Path; patch: Operation<Path, EditPost, Post> };
  '/api/v1/posts/{id}/approve': { parameters: Path; post: Operation<Path, DecidePost, Post> };
  '/api/v1/posts/{id}/return': { parameters: Path; post: Operation<Path, DecidePost, Post> };
  '/api/v1/brand': { parameters: Nothing; patch: Operation<Nothing, EditBrand, BrandDetail> };
  '/api/v1/shorts/{id}': { parameters: Path; delete: Bodiless<Path, Deleted> };
  '/api/v1/media/{id}': {
    parameters: Path;
    patch: Operation<Path, EditMedia, MediaItem>;
    delete: Bodiless<Path, Deleted>;
  };
  '/api/v1/media_packs': { parameters: Nothing; post: Operation<Nothing, NewPack, Pack> };
  '/api/v1/media_packs/{id}': {
    parameters: Path;
    get: Bodiless<Paged, PackDetail>;
    patch: Operation<Path, EditPack, Pack>;
    delete: Bodiless<Path, Deleted>;
  };
}

/** added calls the operations that the generated types do not have yet. */
export const added = api as unknown as Client<AddedPaths>;
